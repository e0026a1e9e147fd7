// Whose turn it is: what is to be worked on stands in a line for each account, and the accounts take turns, so that the files of one never
// stand in front of another's. In a home of several accounts a file stands in the home's line until its sender has told whose it is.
import type { Clock } from '#runtime/clock.ts';

/**
 * An account has at most so many times the slots that are left free: one alone takes three quarters of them, several share, and there is
 * always one for whoever comes next.
 */
const SHARE = 3;

export interface Rota {
  /** Puts it at the end of the account's line, where it stands once; what is being worked on is worked on again after that. */
  add(account: string, id: string): void;
  /** The same for what stands in a line, or is being worked on; false when it is neither, and nothing is done. */
  addAgain(id: string): boolean;
  /** What is being worked on stands at the end of the account's line, when that has ended. */
  move(account: string, id: string): void;
  /** Puts back what is being worked on, in front of its line, and lets the line rest for so long. */
  rest(account: string, id: string, waitMs: number): void;
  /** Begins nothing more, and resolves when what has begun has ended. */
  close(): Promise<void>;
}

interface Line {
  readonly account: string;
  /** In order; `back` goes first. */
  readonly waiting: Set<string>;
  readonly back: Set<string>;
  running: number;
  resting: Disposable | null;
}

/** `work` never throws. */
export function openRota(clock: Clock, slots: number, work: (id: string) => Promise<void>): Rota {
  const lines = new Map<string, Line>();
  /** All that stand in a line. */
  const standing = new Set<string>();
  const running = new Set<string>();
  /** What was added while it was being worked on. */
  const again = new Set<string>();
  /** Into whose line it goes then. */
  const moved = new Map<string, string>();
  const returning = new Set<string>();
  let closed: PromiseWithResolvers<void> | null = null;

  function lineOf(account: string): Line {
    const line = lines.get(account) ?? { account, waiting: new Set(), back: new Set(), running: 0, resting: null };
    lines.set(account, line);
    return line;
  }
  const free = (): number => slots - running.size;
  const mayGo = (line: Line): boolean =>
    line.resting === null && line.waiting.size + line.back.size > 0 && (line.running === 0 || line.running < SHARE * free());

  function pump(): void {
    if (closed) return;
    for (let left = lines.size; free() > 0 && left > 0; left--) {
      const [line] = lines.values();
      if (!line) return;
      // To the end of the rota, or out of it.
      lines.delete(line.account);
      if (line.waiting.size + line.back.size + line.running > 0 || line.resting) lines.set(line.account, line);
      if (!mayGo(line)) continue;
      left = lines.size + 1;
      const [next] = line.back.size > 0 ? [[...line.back].sort()[0] ?? ''] : line.waiting;
      if (next === undefined) continue;
      line.back.delete(next);
      line.waiting.delete(next);
      standing.delete(next);
      void run(line, next);
    }
  }

  async function run(line: Line, id: string): Promise<void> {
    running.add(id);
    line.running++;
    await work(id);
    running.delete(id);
    line.running--;
    const goesTo = moved.get(id);
    moved.delete(id);
    const isAgain = again.delete(id) || goesTo !== undefined;
    const returns = returning.delete(id);
    if (returns) line.back.add(id);
    else if (isAgain) (goesTo === undefined ? line : lineOf(goesTo)).waiting.add(id);
    if (returns || isAgain) standing.add(id);
    if (closed && running.size === 0) closed.resolve();
    pump();
  }

  function addAgain(id: string): boolean {
    if (running.has(id)) again.add(id);
    return running.has(id) || standing.has(id);
  }

  return {
    add(account, id) {
      if (addAgain(id)) return;
      lineOf(account).waiting.add(id);
      standing.add(id);
      pump();
    },
    addAgain,
    move: (account, id) => void moved.set(id, account),
    rest(account, id, waitMs) {
      const line = lineOf(account);
      returning.add(id);
      line.resting ??= clock.after(waitMs, () => {
        line.resting = null;
        pump();
      });
    },
    async close() {
      closed = Promise.withResolvers();
      for (const line of lines.values()) line.resting?.[Symbol.dispose]();
      if (running.size > 0) await closed.promise;
    },
  };
}
