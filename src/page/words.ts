// How single values stand on the page: moments, sizes, states, links to what is named.
import { shortId } from '#domain/id.ts';
import { toneOf } from '#domain/tone.ts';
import { age, localTime, span } from '#runtime/local-time.ts';
import { type Html, html, type Part } from './html.ts';

/** A moment in the time zone of the daemon, and how long ago it was. */
export function moment(iso: string | null, nowMs: number): Part {
  if (iso === null) return null;
  const [day, time, offset] = localTime(iso).split(' ');
  return html`<time datetime="${iso}" title="UTC${offset}">${day} ${time} <small>${age(iso, nowMs)}</small></time>`;
}

/** How long an attempt took; one whose answer was lost ends much later, when another one tells what became of it. */
export function took(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `after ${span(ms)}`;
}

const SHORT_CHARACTERS = 140;

/** The begin of a long text, where all of it stands elsewhere. */
export function short(text: string | null): string | null {
  return text === null || text.length <= SHORT_CHARACTERS ? text : `${text.slice(0, SHORT_CHARACTERS).trimEnd()} …`;
}

export function badge(state: string): Html {
  return html`<span class="badge ${toneOf(state) ?? 'plain'}">${state}</span>`;
}

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

export function size(bytes: number): string {
  const step = bytes < 1_024 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), UNITS.length - 1);
  return `${step === 0 ? bytes : (bytes / 1_024 ** step).toFixed(1)} ${UNITS[step]}`;
}

/** An address of the page; what is undefined or '' is left out. */
export function address(path: string, query: Readonly<Record<string, string | number | undefined>>): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined && value !== '') given.set(name, String(value));
  return given.size === 0 ? path : `${path}?${given}`;
}

export function link(to: string, text: Part): Html {
  return html`<a href="${to}">${text}</a>`;
}

export function accountLink(accountRegNo: string | null): Part {
  return accountRegNo && link(address('/account', { id: accountRegNo }), accountRegNo);
}

export function itemLink(item: string, text: Part = html`<code>${shortId(item)}</code>`): Html {
  return link(address('/document', { kind: 'dropped', id: item }), text);
}

/** `Invoice F-17`. */
export function documentName(family: string | null, documentId: string | null): string | null {
  return documentId === null ? family : `${family ?? ''} ${documentId}`.trim();
}
