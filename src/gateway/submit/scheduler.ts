// Whose turn it is: what is to be worked on stands in a line for each account, and the accounts take turns, so that the files of one never
// stand in front of another's. In a home of several accounts a file stands in the home's line until its sender has told whose it is.
import type { Clock } from '#runtime/clock.ts';

/**
 * An account has at most so many times the slots that are left free: one alone takes three quarters of them, several share, and there is
 * always one for whoever comes next.
 */
const SHARE = 3;

/** While so many of a line stand aside, none of it is begun that has not had its turn: nobody gains from knowing still more of them. */
const ASIDE_MAX = 1_000;

export interface Rota {
  /** Puts it at the end of the account's line, where it stands once; what is being worked on is worked on again after that. */
  add(account: string, id: string): void;
  /** The same for what stands in a line or aside, or is being worked on; false when it is none of these, and nothing is done. */
  addAgain(id: string): boolean;
  /** Puts it in front of those of the account that have not had their turn. */
  addFirst(account: string, id: string): void;
  /** What is being worked on stands at the end of the account's line, when that has ended. */
  move(account: string, id: string): void;
  /** What is being worked on stands aside when that has ended, until it is called, which puts it in front. */
  standAside(id: string): void;
  call(id: string): void;
  /** Puts back what is being worked on, in front of its line, and lets the line rest for so long. */
  rest(account: string, id: string, waitMs: number): void;
  /** No line rests any more: what they rested for may be over. */
  wake(): void;
  /** Begins nothing more, and resolves when what has begun has ended. */
  close(): Promise<void>;
}

interface Line {
  readonly account: string;
  /** In order. */
  readonly waiting: Set<string>;
  /** Had their turn before, and go first; the oldest of them before the others. */
  readonly back: Set<string>;
  readonly aside: Set<string>;
  running: number;
  resting: Disposable | null;
}

type Place = 'waiting' | 'back' | 'aside';

interface Goal {
  readonly account: string;
  readonly place: Place;
}

/** `work` never throws. Ids are in the order of time. */
export function openRota(clock: Clock, slots: number, work: (id: string) => Promise<void>): Rota {
  const lines = new Map<string, Line>();
  const standing = new Map<string, Goal>();
  const running = new Map<string, Line>();
  /** Where those that are being worked on stand after that. */
  const then = new Map<string, Goal>();
  let closed: PromiseWithResolvers<void> | null = null;

  function lineOf(account: string): Line {
    const line = lines.get(account) ?? {
      account,
      waiting: new Set(),
      back: new Set(),
      aside: new Set(),
      running: 0,
      resting: null,
    };
    lines.set(account, line);
    return line;
  }

  function stand(id: string, goal: Goal): void {
    leave(id);
    standing.set(id, goal);
    lineOf(goal.account)[goal.place].add(id);
  }

  function leave(id: string): void {
    const at = standing.get(id);
    if (at) lineOf(at.account)[at.place].delete(id);
    standing.delete(id);
  }

  /** After the work, if it is being worked on. */
  function put(id: string, goal: Goal): void {
    if (running.has(id)) then.set(id, goal);
    else {
      stand(id, goal);
      pump();
    }
  }

  const free = (): number => slots - running.size;
  const nextOf = ({ waiting, back, aside }: Line): string | undefined =>
    oldest(back) ?? (aside.size < ASIDE_MAX ? firstOf(waiting) : undefined);
  const isOver = (line: Line): boolean => line.waiting.size + line.back.size + line.aside.size + line.running === 0 && !line.resting;

  function pump(): void {
    if (closed) return;
    for (let left = lines.size; free() > 0 && left > 0; left--) {
      const [line] = lines.values();
      if (!line) return;
      // To the end of the rota, or out of it.
      lines.delete(line.account);
      if (!isOver(line)) lines.set(line.account, line);
      if (line.resting || (line.running > 0 && line.running >= SHARE * free())) continue;
      const next = nextOf(line);
      if (next === undefined) continue;
      left = lines.size + 1;
      leave(next);
      void run(line, next);
    }
  }

  async function run(line: Line, id: string): Promise<void> {
    running.set(id, line);
    line.running++;
    await work(id);
    running.delete(id);
    line.running--;
    const goal = then.get(id);
    then.delete(id);
    if (goal) stand(id, goal);
    if (closed && running.size === 0) closed.resolve();
    pump();
  }

  function addAgain(id: string): boolean {
    const line = running.get(id);
    if (line && !then.has(id)) then.set(id, { account: line.account, place: 'waiting' });
    return line !== undefined || standing.has(id);
  }

  return {
    add(account, id) {
      if (!addAgain(id)) put(id, { account, place: 'waiting' });
    },
    addAgain,
    addFirst: (account, id) => put(id, { account, place: 'back' }),
    move: (account, id) => put(id, { account, place: 'waiting' }),
    standAside(id) {
      const line = running.get(id);
      if (line) then.set(id, { account: line.account, place: 'aside' });
    },
    call(id) {
      const account = (running.get(id) ?? standing.get(id))?.account;
      if (account !== undefined) put(id, { account, place: 'back' });
    },
    rest(account, id, waitMs) {
      const line = lineOf(account);
      put(id, { account, place: 'back' });
      line.resting ??= clock.after(waitMs, () => {
        line.resting = null;
        pump();
      });
    },
    wake() {
      for (const line of lines.values()) {
        line.resting?.[Symbol.dispose]();
        line.resting = null;
      }
      pump();
    },
    async close() {
      closed = Promise.withResolvers();
      for (const line of lines.values()) line.resting?.[Symbol.dispose]();
      if (running.size > 0) await closed.promise;
    },
  };
}

const firstOf = (ids: ReadonlySet<string>): string | undefined => ids.values().next().value;

function oldest(ids: ReadonlySet<string>): string | undefined {
  let found = firstOf(ids);
  for (const id of ids) if (found === undefined || id < found) found = id;
  return found;
}
