// How many connections there may be: before the login in all and per source (an address, or a /64 of IPv6), after it per login.

export interface ThrottleLimits {
  readonly unauthenticatedMax: number;
  readonly unauthenticatedPerAddressMax: number;
  readonly sessionsPerLoginMax: number;
}

export interface Throttle {
  /** A place for a connection of `source` that has not logged in yet; undefined when there is none. Dispose to give it back. */
  arrive(source: string): Disposable | undefined;
  /** A place for one more session of a login, of which it may have `most`; undefined when there is none. Dispose to give it back. */
  enter(login: string, most?: number): Disposable | undefined;
}

export function openThrottle(limits: ThrottleLimits): Throttle {
  const arriving = counter();
  const inside = counter();
  return {
    arrive: (source) =>
      arriving.total < limits.unauthenticatedMax && arriving.of(source) < limits.unauthenticatedPerAddressMax
        ? arriving.add(source)
        : undefined,
    enter: (login, most = limits.sessionsPerLoginMax) => (inside.of(login) < most ? inside.add(login) : undefined),
  };
}

interface Counter {
  readonly total: number;
  of(key: string): number;
  add(key: string): Disposable;
}

function counter(): Counter {
  const counts = new Map<string, number>();
  let total = 0;
  const of = (key: string): number => counts.get(key) ?? 0;
  return {
    get total() {
      return total;
    },
    of,
    add(key) {
      counts.set(key, of(key) + 1);
      total++;
      let held = true;
      return {
        [Symbol.dispose]() {
          if (!held) return;
          held = false;
          total--;
          if (of(key) > 1) counts.set(key, of(key) - 1);
          else counts.delete(key);
        },
      };
    },
  };
}
