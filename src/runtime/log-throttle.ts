// Lines of the log that clients cause: so many of one kind in a minute from one session, and from one login or address; further lines are
// counted, and the count is logged at the end of the minute.
import type { Clock } from './clock.ts';
import type { Log } from './log.ts';

export type LogLine = Readonly<Record<string, unknown>> & { readonly event: string };

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
type Level = (typeof LEVELS)[number];

/** A log, for lines that are named by their event. */
export type LogLines = Readonly<Record<Level, (line: LogLine) => void>>;

/** The log for lines that all have these facts. A child of pino's would keep its level when that of the log changes. */
export function linesWith(log: LogLines, facts: Readonly<Record<string, unknown>>): LogLines {
  const told = (level: Level) => (line: LogLine) => log[level]({ ...facts, ...line });
  return { debug: told('debug'), info: told('info'), warn: told('warn'), error: told('error') };
}

/** Who causes a line. */
export interface Culprit {
  readonly session: string | null;
  readonly by: { readonly login: string } | { readonly address: string };
}

export interface LineLimits {
  readonly perSession: number;
  /** Of a login or address. */
  readonly perSource: number;
}

const LIMITS: LineLimits = { perSession: 50, perSource: 200 };
const MINUTE_MS = 60_000;
/** Beyond so many in a minute everybody else counts as one. */
const COUNTED_MAX = 20_000;
const EVERYBODY_ELSE = { address: 'others' } as const;

interface LeftOut {
  readonly level: Level;
  readonly event: string;
  readonly by: Culprit['by'];
  lines: number;
}

export class LogThrottle implements Disposable {
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #limits: LineLimits;
  /** Lines of this minute, by session or source, and event. */
  readonly #counts = new Map<string, number>();
  readonly #leftOut = new Map<string, LeftOut>();
  #minute: Disposable | undefined;

  constructor(log: Log, clock: Clock, limits = LIMITS) {
    this.#log = log;
    this.#clock = clock;
    this.#limits = limits;
  }

  /** `log` for lines that clients cause; null is a line that is not counted, as no line of level debug is. */
  lines(log: LogLines, whose: (line: LogLine) => Culprit | null): LogLines {
    const counted = (level: Level) => (line: LogLine) => {
      if (this.#admits(level, line, whose(line))) log[level](line);
    };
    return { debug: (line) => log.debug(line), info: counted('info'), warn: counted('warn'), error: counted('error') };
  }

  /** Tells what was left out so far. */
  [Symbol.dispose](): void {
    this.#minute?.[Symbol.dispose]();
    this.#tell();
  }

  #admits(level: Level, { event }: LogLine, culprit: Culprit | null): boolean {
    if (culprit === null) return true;
    this.#minute ??= this.#clock.after(MINUTE_MS, () => this.#tell());
    const { session } = culprit;
    const by = this.#counts.size < COUNTED_MAX ? culprit.by : EVERYBODY_ELSE;
    const source = `${JSON.stringify(by)} ${event}`;
    // Lines beyond a session's share take nothing from its login's.
    const isSessions = session === null || by === EVERYBODY_ELSE || this.#count(`${session} ${event}`) <= this.#limits.perSession;
    if (isSessions && this.#count(source) <= this.#limits.perSource) return true;
    const leftOut = this.#leftOut.get(source) ?? { level, event, by, lines: 0 };
    leftOut.lines++;
    this.#leftOut.set(source, leftOut);
    return false;
  }

  #count(key: string): number {
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    return count;
  }

  #tell(): void {
    this.#minute = undefined;
    for (const { level, event, by, lines } of this.#leftOut.values()) this.#log[level]({ event: 'log.left-out', ...by, of: event, lines });
    this.#counts.clear();
    this.#leftOut.clear();
  }
}
