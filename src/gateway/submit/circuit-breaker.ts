// Items that wait because the service was silent. Their waits grow to a quarter of an hour, and nobody shall wait that long for a service that is
// back: each answer to one of them lets others go before their time.

/** What fails so soon after an answer has a trouble of its own, and keeps to its waits. */
const SILENT_FROM_MS = 60_000;
/** Let go by one answer: theirs let go the next, so a service that has only just come back is not run down. */
const LET_GO_MAX = 4;
/** Whatever the account or the family: who only polls hears of the service, too. */
export const EVERYWHERE = '';

export interface Silenced {
  /** Nothing was learnt from an attempt of the item, and it waits. `place`: its account and family. */
  add(item: string, place: string): void;
  /** It is tried now. */
  delete(item: string): void;
  /** The service has answered there. Those that may go now, longest wait first. */
  answered(place: string): string[];
}

interface Scope {
  answeredMs: number;
  readonly waiting: Set<string>;
}

export function openSilenced(now: () => number): Silenced {
  const scopes = new Map<string, Scope>();
  /** In whose scopes an item waits. */
  const waiting = new Map<string, readonly Scope[]>();

  function scopesOf(place: string): Scope[] {
    return [...new Set([place, EVERYWHERE])].map((name) => {
      const scope = scopes.get(name) ?? { answeredMs: Number.NEGATIVE_INFINITY, waiting: new Set() };
      scopes.set(name, scope);
      return scope;
    });
  }

  /** A clock that was put back tells nothing of when. */
  const isSilent = ({ answeredMs }: Scope): boolean => now() < answeredMs || now() - answeredMs >= SILENT_FROM_MS;

  function remove(item: string): void {
    for (const scope of waiting.get(item) ?? []) scope.waiting.delete(item);
    waiting.delete(item);
  }

  return {
    add(item, place) {
      const silent = scopesOf(place).filter(isSilent);
      for (const scope of silent) scope.waiting.add(item);
      if (silent.length > 0) waiting.set(item, silent);
    },
    delete: remove,
    answered(place) {
      const known = scopesOf(place);
      const goes = [...new Set(known.flatMap(({ waiting: all }) => [...firstOf(all, LET_GO_MAX)]))];
      goes.forEach(remove);
      for (const scope of known) scope.answeredMs = now();
      return goes;
    },
  };
}

function* firstOf(all: ReadonlySet<string>, max: number): Generator<string> {
  let left = max;
  for (const one of all) {
    if (left-- === 0) return;
    yield one;
  }
}
