// The log: pino, one line per fact, `event` names it; secrets are cut out wherever they stand.
import { write, writeSync } from 'node:fs';
import { type DestinationStream, type Logger, pino } from 'pino';
import { type LogForm, prettyLine } from './log-form.ts';

export type Log = Logger;

export function isSecret(name: string): boolean {
  return SECRETS.has(name);
}

const SECRETS: ReadonlySet<string> = new Set([
  'password',
  'apiKey',
  'authorization',
  'privateKey',
  'secret',
  'token',
  'passwordHash',
  'passphrase',
  'secretKey',
]);
/** Secrets are looked for so deep below a line. */
const DEPTH_MAX = 3;

/** Lines wait so long for others: each write wakes a thread, which costs more than the line. */
const GATHER_MS = 20;
const STDOUT = 1;

/** How a log is written that goes to standard output. */
export interface LogSettings {
  readonly level: string;
  readonly form: LogForm;
}

/** The log on standard output. */
export function openStandardLog({ level, form }: LogSettings): Log {
  const output = openGathering();
  if (form === 'json') return openLog(level, output);
  return openLog(level, { ...output, write: (line) => output.write(prettyLine(line, form === 'coloured')) });
}

/** `info`: custody changed; `warn`: will be retried; `error`: somebody must look. Writes JSON lines to stdout unless told otherwise. */
export function openLog(level: string, destination: DestinationStream = openGathering()): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: (facts) => withoutSecrets(facts, 1) },
      // Whatever was thrown: it need not be an error.
      serializers: { err: (thrown: Error) => shownIn(pino.stdSerializers.err(thrown), 1) },
    },
    destination,
  );
}

/** Standard output, to which lines that came together are written together. What it does not take, a full disk or a reader that went away, is left out. */
function openGathering(): DestinationStream & { flush(): void } {
  /** On its way, in another thread; and what comes after it. */
  let writing = Buffer.alloc(0);
  let lines = '';
  let waiting: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearTimeout(waiting);
    waiting = undefined;
    if (writing.length > 0 || lines === '') return;
    writing = Buffer.from(lines);
    lines = '';
    put();
  };
  const put = (): void =>
    write(STDOUT, writing, (error, written) => {
      if (error?.code === 'EAGAIN') {
        setTimeout(put, GATHER_MS);
        return;
      }
      writing = error ? Buffer.alloc(0) : writing.subarray(written);
      if (writing.length > 0) put();
      // Otherwise these lines are still being gathered: a write for each that came meanwhile would wake a thread for it.
      else if (waiting === undefined) flush();
    });
  process.once('exit', () => {
    try {
      for (let left = Buffer.concat([writing, Buffer.from(lines)]); left.length > 0; ) left = left.subarray(writeSync(STDOUT, left));
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
