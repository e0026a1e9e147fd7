// A command asks the daemon that runs on its data folder.

import { lstatSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { isCode } from '#cli/exit-status.ts';
import { AppError, type ErrorCode } from '#domain/error.ts';
import { isRecord } from '#domain/json.ts';
import { type ControlPlace, controlPath } from '#installation/control-path.ts';
import { isOperation, OPERATIONS } from '#operations/table.ts';
import { callerName } from '#runtime/audit/caller.ts';
import { systemCode } from '#runtime/files/system-code.ts';
import { VERSION } from '#runtime/version.ts';
import { CALLER_HEADER, VERSION_HEADER } from './place.ts';

// An import would load the module's WebSocket, too, which takes as long as to ask.
const { request } = process.getBuiltinModule('node:http');

/** The daemon gives a sign several times as often: after how much silence it is told on a terminal, and who looks, or has ordered something, waits no longer. */
const WAITS = { noticeMs: 5_000, lookMs: 15_000, otherMs: 60_000 } as const;
type Waits = Readonly<Record<keyof typeof WAITS, number>>;

const SILENT = 'The daemon does not answer: it was stopped, or hangs.';

/**
 * Has the operation run by the daemon; null where none runs. Throws what the operation throws, `forbidden` when the socket may be
 * somebody else's, and `internal` when the daemon breaks off: then nobody knows whether it was done.
 */
export async function askDaemon(
  place: ControlPlace,
  name: string,
  input: unknown,
  progress: (text: string) => void,
  waits: Waits = WAITS,
): Promise<{ readonly answer: unknown } | null> {
  const socketPath = controlPath(place);
  if (socketPath === undefined || !isThere(socketPath)) return null;
  const looks = isOperation(name) && OPERATIONS[name].kind === 'looks';
  const brokenOff = looks ? notSeen : notKnown;
  using silence = new Silence(waits.noticeMs, progress);
  const asked = { socketPath, name, body: JSON.stringify(input), silenceMs: looks ? waits.lookMs : waits.otherMs };
  const response = await post(asked).catch((error: unknown) => {
    throw brokenOff(error);
  });
  if (!response) return null;
  try {
    for await (const text of createInterface(response)) {
      silence.end();
      const line: unknown = text === '' ? {} : JSON.parse(text);
      if (!isRecord(line)) break;
      if (isRecord(line.error)) throw new AppError(codeOf(line.error.code), String(line.error.message));
      if ('answer' in line) return { answer: line.answer };
      if (typeof line.progress === 'string') progress(line.progress);
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw brokenOff(error);
  }
  throw brokenOff(undefined);
}

/** The data folder is its owner's, and so is its socket: to any other nothing is said, for it may be told a secret. Throws `forbidden`. */
function isThere(path: string): boolean {
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (!there) return false;
  if (there.isSocket() && there.uid === process.getuid?.() && (there.mode & 0o077) === 0) return true;
  throw new AppError('forbidden', `${path} is not this user's own socket: find out who put it there, and remove it while no daemon runs.`);
}

/** Says that the daemon is silent, and takes that away when it is not any more. */
class Silence implements Disposable {
  readonly #timer: NodeJS.Timeout;
  readonly #progress: (text: string) => void;
  #isTold = false;

  constructor(afterMs: number, progress: (text: string) => void) {
    this.#progress = progress;
    this.#timer = setTimeout(() => {
      this.#isTold = true;
      progress(SILENT);
    }, afterMs);
  }

  end(): void {
    this.#timer.refresh();
    if (this.#isTold) this.#progress('');
    this.#isTold = false;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}

interface Asked {
  readonly socketPath: string;
  readonly name: string;
  readonly body: string;
  readonly silenceMs: number;
}

class SaysNothing extends Error {}

/** Null where no daemon listens. */
function post({ socketPath, name, body, silenceMs }: Asked): Promise<IncomingMessage | null> {
  return new Promise((resolve, reject) => {
    const asked = request({
      socketPath,
      agent: false,
      method: 'POST',
      path: `/operations/${name}`,
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        [VERSION_HEADER]: VERSION,
        [CALLER_HEADER]: encodeURIComponent(callerName()),
      },
    });
    asked.setTimeout(silenceMs, () => asked.destroy(new SaysNothing('it says nothing')));
    asked.once('response', resolve);
    // A second one may follow what the daemon refused.
    asked.on('error', (error) => {
      const isAlone = ['ECONNREFUSED', 'ENOENT'].includes(systemCode(error) ?? '');
      if (isAlone) resolve(null);
      else reject(error);
    });
    asked.end(body);
  });
}

function codeOf(code: unknown): ErrorCode {
  return typeof code === 'string' && isCode(code) ? code : 'internal';
}

/** Of what changes something nobody knows. */
function notKnown(cause: unknown): AppError {
  return new AppError('internal', 'The daemon broke off before it had answered: look whether it was done.', { cause });
}

function notSeen(cause: unknown): AppError {
  const sentence =
    cause instanceof SaysNothing
      ? `${SILENT} Nothing was changed. See what it does, and restart it where it does nothing: systemctl status dropgate, systemctl restart dropgate.`
      : 'The daemon broke off before it had answered: ask again. Nothing was changed.';
  return new AppError('internal', sentence, { cause });
}
