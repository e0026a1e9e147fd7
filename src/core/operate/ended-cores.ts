// What a core held that has ended is freed by the others of its ledger, or by the next start.

import { releaseHeld, selectHolders } from '#core/ledger/held.ts';
import { processOfCore } from '#core/ledger/open.ts';
import type { Ledger } from '#core/ledger/schema.ts';
import { type Clock, every } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';

const LOOK_EVERY_MS = 10_000;

interface CoresParts {
  readonly ledger: Ledger;
  /** No other core works on the ledger meanwhile. */
  readonly isAlone: boolean;
  /** Of this core. */
  readonly incarnation: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Frees what ended cores held, at once where it is alone, and every ten seconds beside others; sweeps find it. Dispose to stop. */
export async function startFreeing(parts: CoresParts): Promise<Disposable | undefined> {
  if (parts.isAlone) return void (await freeHeld(parts));
  const failed = (error: unknown): void => parts.log.warn({ event: 'core.not-freed', err: error });
  return every(parts.clock, LOOK_EVERY_MS, () => freeHeld(parts), failed);
}

async function freeHeld(parts: CoresParts): Promise<void> {
  const holders = await selectHolders(parts.ledger.read);
  await Promise.all(holders.filter((holder) => holder !== parts.incarnation).map((holder) => freeEnded(parts, holder)));
}

/** To a core that is alone all others are known to have ended. */
async function freeEnded({ ledger, isAlone, clock, log }: CoresParts, holder: string): Promise<void> {
  if (!(await ledger.outlive(processOfCore(holder), isAlone))) return;
  await ledger.write([], (rows) => releaseHeld(rows, holder, clock.now()));
  log.info({ event: 'core.freed', incarnation: holder });
}
