// The kinds of settings that describe where the SFTP server listens: profile, last day of profile legacy, proxies, further listeners.
import { hostname } from 'node:os';
import { endOfDay } from '#domain/day.ts';
import { isRecord } from '#domain/json.ts';
import { choice, type Kind, networks, orNull, type Sources, type TcpAddress, tcpAddress } from './kinds.ts';

export const profile = choice('strict', 'compat', 'legacy');

/** Milliseconds since 1970, when the day has ended. */
export const lastDay: Kind<number> = {
  read(raw) {
    const value = typeof raw === 'string' ? endOfDay(raw) : undefined;
    return value === undefined ? { problem: 'must be a day such as 2027-03-31' } : { value };
  },
};

/** One place where the SFTP server listens. */
export interface ListenerSettings {
  readonly listen: TcpAddress;
  readonly profile: 'strict' | 'compat' | 'legacy';
  readonly legacyUntil: number | null;
  readonly proxies: readonly string[] | false;
}

/** Settings of a further listener, and what they are when they are not given. */
const ROWS = {
  listen: { kind: tcpAddress, default: null },
  profile: { kind: profile, default: 'compat' },
  legacyUntil: { kind: orNull(lastDay), default: null },
  proxies: { kind: networks, default: false },
} as const;
const LISTENERS_MAX = 16;

/** Listeners beside the first one. */
export const listeners: Kind<readonly ListenerSettings[]> = {
  read(raw, sources) {
    if (!Array.isArray(raw) || raw.length > LISTENERS_MAX) return { problem: `must be a list of at most ${LISTENERS_MAX} listeners` };
    const values: ListenerSettings[] = [];
    for (const [at, each] of raw.entries()) {
      const reading = readListener(each, sources);
      if (typeof reading === 'string') return { problem: `(number ${at + 1}) ${reading}` };
      values.push(reading);
    }
    return { value: Object.freeze(values) };
  },
};

function readListener(raw: unknown, sources: Sources): ListenerSettings | string {
  const names = Object.keys(ROWS);
  const unknown = isRecord(raw) ? Object.keys(raw).find((key) => !names.includes(key)) : '';
  if (!isRecord(raw) || unknown !== undefined) return `must hold ${names.join(', ')}, and nothing else`;
  const given = { ...Object.fromEntries(Object.entries(ROWS).map(([key, row]) => [key, row.default])), ...raw };
  const listen = ROWS.listen.kind.read(given.listen, sources);
  const algorithms = ROWS.profile.kind.read(given.profile);
  const legacyUntil = ROWS.legacyUntil.kind.read(given.legacyUntil, sources);
  const proxies = ROWS.proxies.kind.read(given.proxies, sources);
  if ('problem' in listen) return `listen ${listen.problem}`;
  if ('problem' in algorithms) return `profile ${algorithms.problem}`;
  if ('problem' in legacyUntil) return `legacyUntil ${legacyUntil.problem}`;
  if ('problem' in proxies) return `proxies ${proxies.problem}`;
  const value = { listen: listen.value, profile: algorithms.value, legacyUntil: legacyUntil.value, proxies: proxies.value };
  return endless(value) ?? Object.freeze(value);
}

/** What is wrong with profile and last day together; undefined when nothing is. */
export function endless({ profile: name, legacyUntil }: Pick<ListenerSettings, 'profile' | 'legacyUntil'>): string | undefined {
  if (name === 'legacy' && legacyUntil === null) {
    return 'legacyUntil is missing: profile legacy needs a last day, such as 2027-03-31; from then on it is compat';
  }
  return name !== 'legacy' && legacyUntil !== null ? 'legacyUntil belongs to profile legacy' : undefined;
}

/** Hosts that listen on every address, and so name none. */
const EVERY_ADDRESS = ['0.0.0.0', '::'];

/** The name by which clients reach a listener, as far as it is known here. */
export function reachedAt({ host }: TcpAddress): string {
  return EVERY_ADDRESS.includes(host) ? hostname() : host;
}

/** Every place where the SFTP server listens. */
export function listenersOf(sftp: ListenerSettings & { readonly moreListeners: readonly ListenerSettings[] }): readonly ListenerSettings[] {
  const { listen, profile: name, legacyUntil, proxies, moreListeners } = sftp;
  return [{ listen, profile: name, legacyUntil, proxies }, ...moreListeners];
}
