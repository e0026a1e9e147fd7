// Envelopes that an access point puts into a folder: each is handled, and then moved to `taken` or, with the reason, to `refused`.
import { lstatSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '#domain/error.ts';
import { type Clock, every } from '#runtime/clock.ts';
import { ensureFolder, replaceDurable } from '#runtime/files/durable.ts';
import { systemCode } from '#runtime/files/system-code.ts';
import type { Log } from '#runtime/log.ts';
import { NEVER_TAKEN, type Receive } from './access-point.ts';

const LOOK_EVERY_MS = 2_000;
/** The largest document, its header, and room for characters that a sender escaped. */
const ENVELOPE_BYTES_MAX = 128 * 1024 * 1024;
const KEEP_TAKEN_MS = 30 * 24 * 60 * 60_000;
const TIDY_EVERY_MS = 60 * 60_000;

export interface ReceptionParts {
  readonly clock: Clock;
  readonly log: Log;
}

/** Looks at once, and every two seconds. Dispose to stop; what is under way ends first. */
export function receiveFiles({ clock, log }: ReceptionParts, folder: string, handle: Receive): AsyncDisposable {
  const taken = ensureFolder(folder, 'taken');
  const refused = ensureFolder(folder, 'refused');

  async function take(name: string): Promise<void> {
    const path = join(folder, name);
    try {
      const stat = lstatSync(path);
      if (!stat.isFile()) return;
      if (stat.size > ENVELOPE_BYTES_MAX) throw new AppError('too-large', `The envelope has more than ${ENVELOPE_BYTES_MAX} bytes.`);
      await handle(await readFile(path));
      renameSync(path, join(taken, name));
    } catch (error) {
      // Another core has taken it.
      if (systemCode(error) === 'ENOENT') return;
      if (!(error instanceof AppError && NEVER_TAKEN.has(error.code))) {
        log.warn({ event: 'network.reception-postponed', file: name, err: error });
        return;
      }
      log.error({ event: 'network.reception-refused', file: name, reason: error.message });
      await replaceDurable(join(refused, `${name}.json`), Buffer.from(`${JSON.stringify({ file: name, reason: error.message })}\n`), {
        mode: 0o660,
      });
      renameSync(path, join(refused, name));
    }
  }

  let looking = Promise.resolve();
  async function look(): Promise<void> {
    const names = readdirSync(folder).filter((name) => /^[^.].*\.xml$/i.test(name));
    for (const name of names.sort()) await take(name);
  }
  const lookAgain = (): Promise<void> => {
    looking = look().catch((error: unknown) => log.error({ event: 'network.folder-failed', folder, err: error }));
    return looking;
  };

  function tidy(): void {
    for (const name of readdirSync(taken)) {
      const path = join(taken, name);
      if (lstatSync(path).ctimeMs < clock.now() - KEEP_TAKEN_MS) rmSync(path, { force: true });
    }
  }

  void lookAgain();
  const failed = (error: unknown): void => log.warn({ event: 'network.folder-failed', folder, err: error });
  const timers = [every(clock, LOOK_EVERY_MS, lookAgain, failed), every(clock, TIDY_EVERY_MS, tidy, failed)];
  return {
    async [Symbol.asyncDispose]() {
      for (const timer of timers) timer[Symbol.dispose]();
      await looking;
    },
  };
}
