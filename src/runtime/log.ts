// The log: pino, one line per fact, `event` names it; secrets are cut out wherever they stand.
import { writeSync } from 'node:fs';
import { type DestinationStream, type Logger, pino } from 'pino';

export type Log = Logger;

const SECRETS: ReadonlySet<string> = new Set(['password', 'apiKey', 'authorization', 'privateKey', 'secret', 'token', 'passwordHash']);
/** Secrets are looked for so deep below a line. */
const DEPTH_MAX = 3;

/** Lines wait so long for others: each write wakes a thread, which costs more than the line. */
const GATHER_MS = 20;
const STDOUT = 1;

/** `info`: custody changed; `warn`: will be retried; `error`: somebody must look. Writes JSON lines to stdout unless told otherwise. */
export function openLog(level: string, destination?: DestinationStream): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: (facts) => withoutSecrets(facts, 1) },
      // Whatever was thrown: it need not be an error.
      serializers: { err: (thrown: Error) => shownIn(pino.stdSerializers.err(thrown), 1) },
    },
    destination ?? openGathering(),
  );
}

/** Standard output, to which lines that came together are written together. */
function openGathering(): DestinationStream & { flush(): void } {
  const out = pino.destination({ fd: STDOUT, sync: false });
  let lines = '';
  let waiting: NodeJS.Timeout | undefined;
  const take = (): string => {
    clearTimeout(waiting);
    waiting = undefined;
    const taken = lines;
    lines = '';
    return taken;
  };
  const flush = (): void => {
    if (lines !== '') out.write(take());
  };
  // After what `out` still had.
  process.once('exit', () => {
    if (lines === '') return;
    try {
      writeSync(STDOUT, take());
    } catch {
      // Nobody reads it any more.
    }
  });
  return {
    write(line) {
      lines += line;
      // A thread does not end before they are written.
      waiting ??= setTimeout(flush, GATHER_MS);
    },
    flush,
  };
}

type Facts = Record<string, unknown>;

/** Pino's own way to do this takes as long as the rest of the line; nearly every line has none, and is handed on as it is. */
function withoutSecrets(facts: Facts, depth: number): Facts {
  let clean = facts;
  for (const [name, value] of Object.entries(facts)) {
    const shown = SECRETS.has(name) ? '[secret]' : shownIn(value, depth);
    if (shown === value) continue;
    if (clean === facts) clean = { ...facts };
    clean[name] = shown;
  }
  return clean;
}

function shownIn(value: unknown, depth: number): unknown {
  if (depth === DEPTH_MAX) return value;
  if (Array.isArray(value)) return value.map((each) => shownIn(each, depth + 1));
  return isFacts(value) ? withoutSecrets(value, depth + 1) : value;
}

/** What is written out name by name. What an error has to hide is seen when it has become that (`serializers`). */
function isFacts(value: unknown): value is Facts {
  return typeof value === 'object' && value !== null && !(value instanceof Error) && !('toJSON' in value);
}
