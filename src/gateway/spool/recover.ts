// At start, and by command: ledger and spool are brought together. Either may have been lost, or be older than the other: then nothing that the
// ledger says of open items is relied upon, and each is looked for at the service first.
//
//   file, no row                      adopted as pending, with an earlier attempt assumed; a minute later where another process lives (strays.ts)
//   file, row pending or held         as the row says
//   file, row ended                   its move into the home is owed (again): nothing is sent
//   no file, row pending              the home shows how it ended; otherwise held where it was tried, or where either came from a backup;
//                                     otherwise it was never acknowledged, and is cancelled
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '#domain/id.ts';
import { type Living, livingOf } from '#gateway/disk/incarnation.ts';
import { discard } from '#gateway/disk/paths.ts';
import { readCopies, readSpool, type SpoolFile, spooledPath } from '#gateway/disk/spool-files.ts';
import { readAttempts } from '#gateway/ledger/attempts.ts';
import { voidLeases } from '#gateway/ledger/item-waits.ts';
import { doubtOpen, finishItem, readOpen } from '#gateway/ledger/items.ts';
import { restartFeeds } from '#gateway/ledger/restart.ts';
import { scopesOf, scopesOfHomes } from '#gateway/ledger/scopes.ts';
import { ALL_HOMES, type Homes, homesInGroups } from '#gateway/model/homes.ts';
import type { Item, ItemState } from '#gateway/model/item.ts';
import { vanished } from '#gateway/model/receipt-sentences.ts';
import type { Finisher } from '#gateway/publish/finish.ts';
import { type EpochParts, epochsAgree, moveEpoch } from './epoch.ts';
import { type Adopted, adoptStrays, type StrayParts } from './strays.ts';
import { openTraces, type Trace } from './trace.ts';

/** Between two looks whether the first node has brought ledger and spool together. */
const LOOK_MS = 250;
/** Homes that one transaction locks: the database has room for so many locks, and others want some. */
const LOCKED_MAX = 500;

interface RecoverParts extends StrayParts, Living, Pick<EpochParts, 'inHand' | 'isFirst'> {
  readonly incarnation: string;
  readonly random: Random;
  readonly finisher: Pick<Finisher, 'finish'>;
  /** An operator says that the folder comes from a backup; otherwise the epoch stamps decide, as far as they can. */
  readonly restored?: boolean;
}

/** What became of files without a row, and of rows without a file. */
export interface Recovered extends Adopted {
  readonly ended: number;
  readonly held: number;
  readonly cancelled: number;
}

/** At start, and by command: these homes are taken up, and rung for. To be called with the start locked. */
export async function recoverSpool(parts: RecoverParts, homes: Homes): Promise<TakenUp & { readonly restored: boolean }> {
  const { ledger, log } = parts;
  if (parts.isFirst && !(await parts.isFirst()))
    return { ...(await takeUpSpool(parts, homes, { restored: false, atStart: true })), restored: false };
  const agree = await epochsAgree(parts);
  const restored = parts.restored === true || !agree;
  if (!agree)
    log.error({ event: 'recover.restored', sentence: 'ledger and spool do not belong together: open items are looked for first' });
  if (restored) {
    await ledger.write(['administration'], async (rows) => {
      // Other nodes take up what is not in hand here.
      const doubted = parts.isFirst ? ALL_HOMES : homes;
      await doubtOpen(rows, doubted);
      await restartFeeds(rows, doubted);
    });
  }
  const taken = await takeUpSpool(parts, homes, { restored, atStart: true });
  await moveEpoch(parts);
  const { recovered } = taken;
  if (restored || Object.values(recovered).some((each) => each > 0)) log.warn({ event: 'recover.done', restored, ...recovered });
  taken.ring();
  return { ...taken, restored };
}

export interface WaitParts extends EpochParts {
  /** Ends nodes whose leases have passed. */
  readonly endLapsed?: (() => Promise<void>) | undefined;
}

/**
 * A node that is not the first waits until the first one has brought ledger and spool together, or has ended. To be called before the start is locked.
 * Rows that come from a backup are those of nodes that will never do so, and nobody else may be there to end them.
 */
export async function waitForFirst(parts: WaitParts): Promise<void> {
  for (;;) {
    await parts.endLapsed?.();
    if (!parts.isFirst || (await parts.isFirst()) || (await epochsAgree(parts))) return;
    await new Promise<void>((wake) => parts.clock.after(LOOK_MS, wake));
  }
}

export interface TakenUp {
  readonly recovered: Recovered;
  /** Files without a row that are not adopted yet: a process that lives may be writing their rows. */
  readonly left: readonly SpoolFile[];
  /** Oldest first. */
  readonly pending: readonly Item[];
  /** Rings for all that is pending. */
  readonly ring: () => void;
}

interface TakeUpOptions {
  readonly restored: boolean;
  /** This process takes no files yet. */
  readonly atStart: boolean;
}

/** These homes are taken up: brings their rows and their files together. */
export async function takeUpSpool(parts: RecoverParts, homes: Homes, { restored, atStart }: TakeUpOptions): Promise<TakenUp> {
  const { data, incarnation, ledger, inHand, queue } = parts;
  for (const group of homesInGroups(homes, LOCKED_MAX)) await ledger.write(scopesOfHomes(group), (rows) => voidLeases(rows, group));
  // In this order: a file is there before its row.
  const open = await readOpen(ledger.read, homes);
  const files = readSpool(data, homes);
  const copies = await readCopies(data);
  const living = await livingOf(parts);
  for (const { incarnation, path } of copies) {
    if (living.has(incarnation)) continue;
    inHand.check();
    discard(path);
  }
  const spooled = new Set(files.map((file) => file.item));
  const known = new Set(open.map((item) => item.item));
  const strays = files.filter((file) => !known.has(file.item));
  const traces = openTraces(data);
  living.delete(incarnation);
  const isAlone = atStart && living.size === 0;
  const recovered = { adopted: 0, returned: 0, ended: 0, held: 0, cancelled: 0 };
  if (isAlone) Object.assign(recovered, await adoptStrays(parts, strays));
  const pending: Item[] = [];
  for (const [at, item] of open.entries()) {
    if (item.state !== 'pending') continue;
    // A listing may be a minute old, as over NFS, and lack what another node has taken since.
    if (spooled.has(item.item) || existsSync(join(data, spooledPath(item)))) pending.push(item);
    else {
      recovered[await settle(parts, item, restored, traces(item))]++;
      parts.progress?.(`${at + 1} of ${open.length} open rows`);
    }
  }
  const ring = (): void => {
    for (const { item, nextAttemptAt } of pending) queue.ring('submit', item, nextAttemptAt);
  };
  return { recovered, left: isAlone ? [] : strays, pending, ring };
}

/** A pending row whose file has gone. It leaves the spool by a finished move only. */
async function settle(
  { ledger, finisher, clock, log }: RecoverParts,
  item: Item,
  restored: boolean,
  trace: Trace | undefined,
): Promise<'ended' | 'held' | 'cancelled'> {
  const end = (state: Exclude<ItemState, 'pending'>, reason: string): Promise<boolean> => {
    const facts = { state, integrationId: null, duplicateOf: null, reason, endedAt: clock.now() };
    return ledger.write(scopesOf(item), (rows) => finishItem(rows, item.item, facts));
  };
  log.error({ event: 'recover.no-file', item: item.item, accountRegNo: item.accountRegNo, file: spooledPath(item) });
  if (trace) {
    await end(trace.state, `ended before the ledger was restored: ${trace.file} is in the home`);
    return 'ended';
  }
  const { count } = await readAttempts(ledger.read, item.item);
  // Of a node's home this may be looked at long after the start that found the restore, and doubted what was open.
  if (restored || item.recovered || count > 0) {
    await finisher.finish(item, vanished());
    return 'held';
  }
  await end('cancelled', 'its file is not in the spool: it was never acknowledged');
  return 'cancelled';
}
