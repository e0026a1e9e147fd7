// A daemon as a child process, and what its log tells.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { AppError } from '#domain/error.ts';
import { isRecord } from '#domain/json.ts';

/** One line of the log. */
type Fact = Readonly<Record<string, unknown>>;

/** Disposed of, it is killed. */
export interface ChildDaemon extends AsyncDisposable {
  /** The first fact of this name, as soon as it is told. Throws `internal` when it takes too long, or the daemon ends before. */
  told(event: string, withinMs: number): Promise<Fact>;
  /** Those of this name that it has told. */
  facts(event: string): readonly Fact[];
  /** SIGTERM; resolves with the exit status. */
  stop(): Promise<number | null>;
  /** SIGKILL; resolves when it has ended. */
  kill(): Promise<void>;
}

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url));
const COMPLAINT_LETTERS_MAX = 4_096;

export function startChildDaemon(configFile: string): ChildDaemon {
  const child = spawn(process.execPath, [MAIN, 'serve', '--config', configFile], { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'exit');
  const facts: Fact[] = [];
  let complaint = '';
  let look = (): void => {};
  createInterface(child.stdout).on('line', (line) => {
    const fact = factOf(line);
    if (fact) facts.push(fact);
    look();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-COMPLAINT_LETTERS_MAX);
  });

  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  return {
    async told(event, withinMs) {
      const found = Promise.withResolvers<Fact>();
      look = () => {
        const fact = facts.find((each) => each.event === event);
        if (fact) found.resolve(fact);
      };
      look();
      const late = setTimeout(
        () => found.reject(new AppError('internal', `The daemon did not tell '${event}' within ${withinMs} ms.`)),
        withinMs,
      );
      void ended.then(() => found.reject(new AppError('internal', `The daemon ended before it told '${event}'. ${complaint.trim()}`)));
      try {
        return await found.promise;
      } finally {
        clearTimeout(late);
      }
    },
    facts: (event) => facts.filter((fact) => fact.event === event),
    async stop() {
      child.kill('SIGTERM');
      await ended;
      return child.exitCode;
    },
    kill,
    [Symbol.asyncDispose]: kill,
  };
}

function factOf(line: string): Fact | null {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}
