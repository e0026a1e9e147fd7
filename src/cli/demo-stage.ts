// What a demo plays on: a temporary folder that goes with it, also where somebody stops it; its steps; and OpenSSH's clients.
import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { AppError } from '#domain/error.ts';
import { systemCode } from '#runtime/files/system-code.ts';
import type { Terminal } from './terminal.ts';

export const STEP_MS_MAX = 20_000;
const LOOK_EVERY_MS = 10;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const run = promisify(execFile);

export interface Stage {
  readonly folder: string;
  /** One step, numbered, with how long after the first one it came. */
  readonly say: (text: string) => void;
  /** What plays on in the background must stop. */
  readonly isOver: boolean;
  /** Starts what is to end before the folder is removed, the last first. */
  start<Started extends AsyncDisposable>(begin: () => Started): Started;
}

/** Plays it, ends what it has started, and removes the folder. At a signal it does so at once, and the process ends by that signal. */
export async function onStage(terminal: Terminal, play: (stage: Stage) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'dropgate-demo-'));
  // PostgreSQL runs as another user where root plays; below lie folders that nobody else may look into.
  chmodSync(folder, 0o711);
  const started = new AsyncDisposableStack();
  let ending: Promise<void> | undefined;
  const end = (): Promise<void> => {
    ending ??= started.disposeAsync().finally(() => rmSync(folder, { recursive: true, force: true }));
    return ending;
  };
  const stopped = async (signal: NodeJS.Signals): Promise<void> => {
    await end();
    for (const each of SIGNALS) process.off(each, stopped);
    process.kill(process.pid, signal);
  };
  for (const signal of SIGNALS) process.on(signal, stopped);
  try {
    await play({
      folder,
      say: stepper(terminal),
      get isOver() {
        return ending !== undefined;
      },
      start(begin) {
        if (ending !== undefined) throw new AppError('internal', 'The demo was stopped.');
        return started.use(begin());
      },
    });
  } finally {
    await end();
    for (const signal of SIGNALS) process.off(signal, stopped);
  }
}

/** Throws `internal` when it does not come within the time of a step. */
export async function until<Found>(what: string, look: () => Found | undefined | false, withinMs = STEP_MS_MAX): Promise<Found> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const found = look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > deadline) throw new AppError('internal', `${what} within ${withinMs / 1_000} s.`);
    await pause(LOOK_EVERY_MS);
  }
}

/** Makes a key pair for an ERP, and returns the path of the private one. */
export async function makeKey(folder: string): Promise<string> {
  const key = join(folder, 'seller_key');
  await client('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'seller', '-f', key]);
  return key;
}

/** How an ERP comes to the server. */
export interface Door {
  readonly port: number;
  /** With the server's host keys: known before. */
  readonly knownHosts: string;
  readonly login: string;
  readonly key: string;
}

/** As an ERP's nightly job does it: by a batch file. Throws `internal` when the server has not said that all of it is done. */
export async function runBatch({ port, knownHosts, login, key }: Door, batch: string): Promise<void> {
  const options = [`UserKnownHostsFile=${knownHosts}`, 'StrictHostKeyChecking=yes', 'IdentitiesOnly=yes'];
  const settings = options.flatMap((option) => ['-o', option]);
  await client('sftp', ['-b', batch, '-i', key, '-P', String(port), ...settings, `${login}@127.0.0.1`]);
}

/** Runs a program of OpenSSH. Throws `missing` when it is not there, `internal` with what it said when it fails. */
async function client(program: string, args: readonly string[]): Promise<void> {
  try {
    await run(program, args, { timeout: STEP_MS_MAX });
  } catch (error) {
    const isAbsent = systemCode(error) === 'ENOENT';
    if (isAbsent) throw new AppError('missing', `The demo needs OpenSSH's ${program}: install the package openssh-client.`);
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    throw new AppError('internal', `${program} failed: ${said}`, { cause: error });
  }
}

function stepper(terminal: Terminal): Stage['say'] {
  const start = performance.now();
  let step = 0;
  return (text) =>
    terminal.print(`${String(++step).padStart(2)}. ${((performance.now() - start) / 1_000).toFixed(2).padStart(5)} s  ${text}`);
}
