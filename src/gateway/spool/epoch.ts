// The epoch stamp: the same word stands in the ledger and in `spool/.epoch`, and moves on together with the work. Where they differ at a start, one of
// them was lost or came from a backup, so what the ledger says may be old.
//
// To move: the ledger says 'new, and before it old' (one commit), the file becomes new, the ledger says 'new'. A crash in between leaves the file at
// one of the two that the ledger names. A copy of either that lacks more than the last ten seconds of work has a stamp that nothing names any more.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { base32, type Random } from '#domain/id.ts';
import { markPlace } from '#gateway/disk/folder-place.ts';
import { putStamp, readStamp } from '#gateway/ledger/epochs.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import type { HomesInHand } from '#gateway/model/homes.ts';
import { type Clock, every } from '#runtime/clock.ts';
import { ensureFolder, replaceDurable } from '#runtime/files/durable.ts';
import { systemCode } from '#runtime/files/system-code.ts';
import type { Log } from '#runtime/log.ts';

const MOVE_EVERY_MS = 10_000;
/** Commits that moving makes by itself. */
const OWN_COMMITS = 2;
const STAMP_BYTES = 15;

export interface EpochParts {
  readonly data: string;
  readonly ledger: Ledger;
  readonly inHand: Pick<HomesInHand, 'check'>;
  readonly random: Random;
  readonly clock: Clock;
  readonly log: Log;
  /** Where several processes share ledger and spool, one of them moves the stamp. */
  readonly isFirst?: (() => Promise<boolean>) | undefined;
}

/** Whether ledger and spool belong together. Where neither has a stamp there is nothing to doubt. */
export async function epochsAgree({ data, ledger }: Pick<EpochParts, 'data' | 'ledger'>): Promise<boolean> {
  const file = readBeside(data);
  const row = await readStamp(ledger.read);
  return row ? file === row.stamp || file === row.before : file === '';
}

/** Gives both a new stamp: the folder that lies here is that of this ledger. */
export async function moveEpoch({
  data,
  ledger,
  inHand,
  random,
}: Pick<EpochParts, 'data' | 'ledger' | 'inHand' | 'random'>): Promise<void> {
  await markPlace(data, inHand.check);
  const stamp = base32(random(STAMP_BYTES));
  const before = readBeside(data);
  await ledger.write([], (rows) => putStamp(rows, { stamp, before }));
  await replaceDurable(epochPath(data), Buffer.from(`${stamp}\n`), { check: inHand.check });
  await ledger.write([], (rows) => putStamp(rows, { stamp, before: null }));
}

/** Moves it while there is work, and once more at the end. */
export function startEpochs(parts: EpochParts): AsyncDisposable {
  const { ledger, clock, log } = parts;
  let seen = ledger.commits;
  let moving = Promise.resolve();

  async function move(): Promise<void> {
    const { commits } = ledger;
    if (commits === seen || (parts.isFirst && !(await parts.isFirst()))) return;
    await moveEpoch(parts);
    seen = commits + OWN_COMMITS;
  }
  const moveInTurn = (): Promise<void> => {
    moving = moving.then(move).catch((error: unknown) => log.warn({ event: 'epoch.unmoved', err: error }));
    return moving;
  };

  const timer = every(clock, MOVE_EVERY_MS, moveInTurn, (error) => log.warn({ event: 'epoch.unmoved', err: error }));
  return {
    async [Symbol.asyncDispose]() {
      timer[Symbol.dispose]();
      await moveInTurn();
    },
  };
}

function epochPath(data: string): string {
  return join(ensureFolder(data, 'spool'), '.epoch');
}

/** '' when there is none. */
function readBeside(data: string): string {
  try {
    return readFileSync(epochPath(data), 'utf8').trim();
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return '';
    throw error;
  }
}
