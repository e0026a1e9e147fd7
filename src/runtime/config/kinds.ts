// The kinds of values that settings have: each reads what the YAML file says, or tells what is wrong with it.
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { messageOf } from '#domain/error.ts';
import { isRecord } from '#domain/json.ts';
import { networksOf } from '#runtime/networks.ts';

/** What a kind may reach for beyond the file's own text. */
export interface Sources {
  /** Folder that relative paths count from. */
  readonly folder: string;
  /** The content of a file; throws when it cannot be read. */
  readonly file: (path: string) => string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export type Reading<Value> = { readonly value: Value } | { readonly problem: string };

export interface Kind<Value> {
  /** `raw` is what YAML made of the value. A problem is the end of a sentence that begins with the key: `must be …`. */
  read(raw: unknown, sources: Sources): Reading<Value>;
}

/** A kind that needs nothing beyond the value. */
export interface PlainKind<Value> {
  read(raw: unknown): Reading<Value>;
}

/** One of a few words. */
export function choice<const Word extends string>(...words: readonly Word[]): PlainKind<Word> {
  return {
    read(raw) {
      const value = words.find((word) => word === raw);
      return value === undefined ? { problem: `must be one of ${words.join(', ')}, not ${shown(raw)}` } : { value };
    },
  };
}

/** A list of some of these words, one at the least. */
export function choices(words: Iterable<string>): PlainKind<readonly string[]> {
  const known = [...words];
  return {
    read(raw) {
      const given = Array.isArray(raw) ? raw.map(String) : [];
      const unknown = given.find((word) => !known.includes(word));
      if (given.length > 0 && unknown === undefined) return { value: Object.freeze([...new Set(given)]) };
      return { problem: `must be a list of some of ${known.join(', ')}, not ${shown(unknown ?? raw)}` };
    },
  };
}

/** A whole number. */
export function count(min: number, max: number): PlainKind<number> {
  return {
    read(raw) {
      if (typeof raw !== 'number' || !Number.isInteger(raw)) return { problem: `must be a whole number, not ${shown(raw)}` };
      return raw < min || raw > max ? { problem: `must be between ${min} and ${max}, not ${raw}` } : { value: raw };
    },
  };
}

/** A folder or file; a relative one counts from where dropgate was started. */
export const path: Kind<string> = {
  read(raw, { folder }) {
    return typeof raw === 'string' && raw !== '' ? { value: resolve(folder, raw) } : { problem: `must be a path, not ${shown(raw)}` };
  },
};

const DURATION_UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const SIZE_UNITS = { B: 1, kB: 1e3, KB: 1e3, MB: 1e6, GB: 1e9, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 } as const;

/** Of a node; it is part of the names of files. */
export const nodeName: Kind<string> = {
  read(raw) {
    const isName = typeof raw === 'string' && /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/.test(raw);
    return isName ? { value: raw } : { problem: `must be 1 to 32 of a-z, 0-9 and -, not ${shown(raw)}` };
  },
};

/** Milliseconds, written `30s`. */
export function duration(min: string, max: string): PlainKind<number> {
  return quantity(DURATION_UNITS, 'a duration such as 30s, 15m or 24h', min, max);
}

/** Bytes, written `20MiB`. */
export function size(min: string, max: string): PlainKind<number> {
  return quantity(SIZE_UNITS, 'a size such as 500KB, 20MB or 20MiB', min, max);
}

function quantity(units: Readonly<Record<string, number>>, what: string, min: string, max: string): PlainKind<number> {
  const [least, most] = [amount(units, min), amount(units, max)];
  if (least === undefined || most === undefined) throw new RangeError(`${min} and ${max} must be ${what}`);
  return {
    read(raw) {
      const value = amount(units, raw);
      if (value === undefined) return { problem: `must be ${what}, not ${shown(raw)}` };
      return value < least || value > most ? { problem: `must be between ${min} and ${max}, not ${shown(raw)}` } : { value };
    },
  };
}

function amount(units: Readonly<Record<string, number>>, raw: unknown): number | undefined {
  const match = /^(\d{1,12})\s?([A-Za-z]{1,3})$/.exec(typeof raw === 'string' ? raw : '');
  const unit = Object.entries(units).find(([name]) => name === match?.[2])?.[1];
  return match && unit !== undefined ? Number(match[1]) * unit : undefined;
}

export interface TcpAddress {
  readonly host: string;
  readonly port: number;
}

/** Where to listen: a TCP address, or the path of a unix socket. */
export type Address = TcpAddress | { readonly socket: string };

const TCP_EXPECTED = 'HOST:PORT, for example 127.0.0.1:8080 or [::1]:8080';

export const tcpAddress: Kind<TcpAddress> = {
  read(raw) {
    const match = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+):(\d{1,5})$/.exec(typeof raw === 'string' ? raw : '');
    const port = Number(match?.[2]);
    if (!match?.[1] || port > 65_535) return { problem: `must be ${TCP_EXPECTED}, not ${shown(raw)}` };
    return { value: { host: match[1].replace(/^\[|\]$/g, ''), port } };
  },
};

export const address: Kind<Address> = {
  read(raw, sources) {
    if (typeof raw === 'string' && /^unix:\/./.test(raw)) return { value: { socket: raw.slice('unix:'.length) } };
    const tcp = tcpAddress.read(raw, sources);
    return 'value' in tcp ? tcp : { problem: `must be ${TCP_EXPECTED}, or unix:/path, not ${shown(raw)}` };
  },
};

/** The base address of a service, without a slash at its end. */
export const serviceUrl: Kind<string> = {
  read(raw) {
    const url = typeof raw === 'string' && URL.canParse(raw) ? new URL(raw) : undefined;
    if (!url || !/^https?:$/.test(url.protocol)) return { problem: 'must be an address that begins with https:// or http://' };
    if (url.username || url.password) return { problem: 'must not hold a user name or password: API keys belong to accounts' };
    if (url.search || url.hash) return { problem: 'must not hold a ? or #: paths are appended to it' };
    return { value: url.href.replace(/\/$/, '') };
  },
};

/** The content of a file or of an environment variable: `{file: PATH}`, short `PATH`, or `{env: NAME}`. Never the content itself. */
export const content: Kind<string> = {
  read(raw, sources) {
    const from = typeof raw === 'string' ? { file: raw } : raw;
    if (isRecord(from) && Object.keys(from).length === 1) {
      if (typeof from.file === 'string' && !from.file.includes('\n')) return contentOfFile(resolve(sources.folder, from.file), sources);
      if (typeof from.env === 'string') return contentOfVariable(from.env, sources);
    }
    return { problem: 'must name where it is kept: a path, {file: PATH} or {env: NAME}, never the value itself' };
  },
};

function contentOfFile(file: string, sources: Sources): Reading<string> {
  try {
    return { value: sources.file(file) };
  } catch (error) {
    return { problem: `cannot be read from ${file}: ${messageOf(error)}` };
  }
}

function contentOfVariable(name: string, { environment }: Sources): Reading<string> {
  const value = environment[name];
  return value ? { value } : { problem: `cannot be read: the environment variable ${name} is not set` };
}

/** Two letters of ISO 3166-1. */
export const countryCode: PlainKind<string> = {
  read: (raw) =>
    typeof raw === 'string' && /^[A-Z]{2}$/.test(raw)
      ? { value: raw }
      : { problem: `must be two capital letters such as SE, not ${shown(raw)}` },
};

/** A name in DNS. */
export const hostName: PlainKind<string> = {
  read: (raw) =>
    typeof raw === 'string' && /^(?=.{1,253}$)[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})*$/i.test(raw)
      ? { value: raw.toLowerCase() }
      : { problem: `must be a name in DNS such as participant.example, not ${shown(raw)}` },
};

const NETWORKS_MAX = 100;

/** A list of addresses and networks; false is none. */
export const networks: Kind<readonly string[] | false> = {
  read(raw) {
    if (raw === false) return { value: false };
    const expected = 'must be false, or a list of addresses and networks such as [10.0.0.5, 10.1.0.0/16]';
    if (!Array.isArray(raw) || raw.length === 0 || raw.length > NETWORKS_MAX) return { problem: expected };
    const texts = raw.map(String);
    try {
      networksOf(texts);
    } catch (error) {
      return { problem: `${expected}: ${messageOf(error)}` };
    }
    return { value: Object.freeze(texts) };
  },
};

const NAME_SERVERS_MAX = 16;

/** A list of DNS servers, `ADDRESS` or `ADDRESS:PORT`; false is none. */
export const nameServers: Kind<readonly string[] | false> = {
  read(raw, sources) {
    if (raw === false) return { value: false };
    const texts = Array.isArray(raw) ? raw.map(String) : [];
    const isServer = (text: string): boolean => isIP(text) !== 0 || ('value' in tcpAddress.read(text, sources) && isIP(hostOf(text)) !== 0);
    return texts.length > 0 && texts.length <= NAME_SERVERS_MAX && texts.every(isServer)
      ? { value: Object.freeze(texts) }
      : { problem: 'must be false, or a list of addresses of DNS servers such as [10.0.0.2, "10.0.0.3:5353"]' };
  },
};

function hostOf(tcp: string): string {
  return tcp.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
}

/** The kind, or null for 'none'. */
export function orNull<Value>(kind: Kind<Value>): Kind<Value | null> {
  return { read: (raw, sources) => (raw === null ? { value: null } : kind.read(raw, sources)) };
}

/** The kind, or null for `off`. */
export function orOff<Value>(kind: Kind<Value>): Kind<Value | null> {
  return {
    read(raw, sources) {
      if (raw === 'off') return { value: null };
      const reading = kind.read(raw, sources);
      return 'problem' in reading ? { problem: reading.problem.replace(/^must be /, 'must be off, or ') } : reading;
    },
  };
}

function shown(raw: unknown): string {
  if (raw === null || raw === undefined) return 'nothing';
  return typeof raw === 'object' ? 'a list or map' : `'${String(raw).slice(0, 60)}'`;
}
