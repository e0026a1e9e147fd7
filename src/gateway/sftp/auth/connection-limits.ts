// Which connections are accepted: the lists of networks, the ban list, the rate limit, and the slots for connections that have not logged in are asked
// in this order. And how many sessions a login may have. How guessing is slowed down is in runtime/auth/slow-guessing.ts.
import { type AddTogether, openSlowGuessing, type SlowGuessing } from '#runtime/auth/slow-guessing.ts';
import type { Clock } from '#runtime/clock.ts';
import { isWithin, networksNow, sourceOf } from '#runtime/networks.ts';
import { openRateLimit } from '#runtime/rate-limit.ts';
import { type HalfOpenSettings, type HalfOpenSlot, openHalfOpenSlots } from './half-open-slots.ts';

export interface ConnectionLimitSettings extends HalfOpenSettings {
  readonly sessionsPerLoginMax: number;
  /** New connections of one address. */
  readonly arrivalsPerSecond: number;
  readonly arrivalsBurst: number;
  /** Networks that may connect; false: all. They are exempt, too. */
  readonly allow: readonly string[] | false;
  /** Networks that may not connect, also when `allow` names them. */
  readonly deny: readonly string[] | false;
  /** Networks to which neither the ban list nor the rate limit applies. */
  readonly exempt: readonly string[] | false;
}

/** Why a connection is refused. */
export type Refusal = 'not-allowed' | 'denied' | 'banned' | 'rate' | 'full';

export interface ConnectionLimits extends SlowGuessing {
  /** A slot for a new connection, perhaps still queued; `evicted` is called when it loses its slot to another connection. */
  connect(address: string, evicted: () => void): HalfOpenSlot | Refusal;
  loggedIn(address: string): void;
  /** Counts one more session of the login until it is disposed; undefined when the login has `max` sessions already. */
  openSession(login: string, max?: number): Disposable | undefined;
}

/**
 * Addresses are in their plain form: IPv4-mapped IPv6 addresses (::ffff:a.b.c.d) come as IPv4. `settings` may change meanwhile. `banned` and `addTogether` are those
 * of slow guessing.
 */
export function openConnectionLimits(
  settings: ConnectionLimitSettings,
  clock: Clock,
  banned?: (address: string) => void,
  addTogether?: AddTogether,
): ConnectionLimits {
  const isAllowed = matcher(() => settings.allow);
  const isDenied = matcher(() => settings.deny);
  const isListedExempt = matcher(() => settings.exempt);
  const isExempt = (address: string): boolean => isListedExempt(address) || isAllowed(address);
  const guessing = openSlowGuessing(isExempt, clock, banned, addTogether);
  const rate = openRateLimit(clock, () => ({ perSecond: settings.arrivalsPerSecond, burst: settings.arrivalsBurst }));
  const slots = openHalfOpenSlots(settings, clock);

  return {
    connect(address, evicted) {
      if (isDenied(address)) return 'denied';
      if (settings.allow && !isAllowed(address)) return 'not-allowed';
      if (!isExempt(address)) {
        if (guessing.isBanned(address)) {
          // Each attempt during a ban makes the ban longer.
          guessing.punish(address, 'no-login');
          return 'banned';
        }
        if (!rate.take(address)) return 'rate';
      }
      return slots.request(sourceOf(address), evicted) ?? 'full';
    },
    ...guessing,
    loggedIn(address) {
      rate.giveBack(address);
      slots.loggedIn(sourceOf(address));
    },
    openSession: openSessionCounts(() => settings.sessionsPerLoginMax),
  };
}

function matcher(setting: () => readonly string[] | false): (address: string) => boolean {
  const list = networksNow(setting);
  return (address) => isWithin(list(), address);
}

function openSessionCounts(usualMax: () => number): ConnectionLimits['openSession'] {
  const counts = new Map<string, number>();
  return (login, max = usualMax()) => {
    const count = counts.get(login) ?? 0;
    if (count >= max) return undefined;
    counts.set(login, count + 1);
    const session = new DisposableStack();
    session.defer(() => {
      const left = (counts.get(login) ?? 0) - 1;
      if (left > 0) counts.set(login, left);
      else counts.delete(login);
    });
    return session;
  };
}
