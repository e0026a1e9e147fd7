// How long a service that said 429 wants to be left alone.
import { HEADER } from '#contract/headers.ts';
import type { Headers } from './core-client.ts';

const DEFAULT_MS = 60_000;
/** Whoever says 'at once' with a refusal is not believed. */
const MS_MIN = 1_000;
const MS_MAX = 24 * 60 * 60_000;

/** Seconds or a date in its header (RFC 9110 §10.2.3), else `told`, the seconds that its body names; a minute when it says nothing usable. */
export function retryAfterMs(headers: Headers, now: number, told?: unknown): number {
  const header = headers.get(HEADER.retryAfter)?.trim() ?? '';
  const inBody = typeof told === 'number' ? told * 1_000 : Number.NaN;
  const asked = /^\d+$/.test(header) ? Number(header) * 1_000 : header === '' ? inBody : msUntil(Date.parse(header), headers, now);
  return Number.isNaN(asked) ? DEFAULT_MS : Math.min(Math.max(asked, MS_MIN), MS_MAX);
}

/** By the clock that the answer was dated by, for ours may be a day behind; unless that had passed the moment already. */
function msUntil(moment: number, headers: Headers, now: number): number {
  const said = Date.parse(headers.get('date') ?? '');
  return moment - (said <= moment ? said : now);
}
