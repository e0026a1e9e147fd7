// Loaded into each thread of a daemon before the program (`--import`): writes down each call of a function of gateway/ and core/, with who called
// it, and each rename (`renameSync`). DROPGATE_WAY names the folder for the records, a file for each thread.
import { AsyncLocalStorage } from 'node:async_hooks';
import fs, { openSync, readFileSync, writeSync } from 'node:fs';
import { registerHooks, syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { threadId } from 'node:worker_threads';
import { instrumented, type SourceFunction } from './instrument.ts';

export interface Call {
  /** Numbers the calls of a thread; `by` is that of the caller, 0 where that is not known. */
  readonly call: number;
  readonly by: number;
  /** In nanoseconds, alike for all threads and processes of a machine. */
  readonly at: number;
  readonly file: string;
  readonly name: string;
  readonly isNamed: boolean;
}

export interface Rename {
  readonly renamed: string;
  readonly at: number;
}

const WATCHED = /\/src\/((?:gateway|core)\/.+\.ts)$/;

const record = openSync(join(process.env.DROPGATE_WAY ?? '', `${threadId}.jsonl`), 'a');
const functions: (SourceFunction & { readonly file: string })[] = [];
const caller = new AsyncLocalStorage<number>();
let calls = 0;

const write = (line: Call | Rename): void => void writeSync(record, `${JSON.stringify(line)}\n`);
const now = (): number => Number(process.hrtime.bigint());

function way(number: number, body: (() => unknown) | undefined): unknown {
  const told = functions[number];
  if (!told) throw new RangeError('a function that was not told');
  calls += 1;
  write({ call: calls, at: now(), by: caller.getStore() ?? 0, ...told });
  return body && caller.run(calls, body);
}
Object.assign(globalThis, { __way: way });

registerHooks({
  load(url, context, next) {
    const file = WATCHED.exec(url)?.[1];
    if (file === undefined) return next(url, context);
    const path = fileURLToPath(url);
    const made = instrumented(path, readFileSync(path, 'utf8'), functions.length);
    functions.push(...made.functions.map((each) => ({ ...each, file })));
    return { format: 'module-typescript', source: made.text, shortCircuit: true };
  },
});

const { renameSync } = fs;
fs.renameSync = (from, to) => {
  write({ renamed: String(to), at: now() });
  renameSync(from, to);
};
syncBuiltinESMExports();
