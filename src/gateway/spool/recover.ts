// At start, and by command: ledger and spool are brought together. Either may have been lost, or be older than the other: then nothing that the
// ledger says of open items is relied upon, and each is looked for at the service first.
//
//   file, no row                      adopted as pending, with an earlier attempt assumed
//   file, row pending or held         as the row says
//   file, row ended                   its move into the home is owed (again): nothing is sent
//   no file, row pending              the home shows how it ended; otherwise held where it was tried, or where either came from a backup;
//                                     otherwise it was never acknowledged, and is cancelled

import type { Random } from '#domain/id.ts';
import type { Queue } from '#engines/queue.ts';
import { discard } from '#gateway/disk/paths.ts';
import { type Digested, openDigester, readCopies, readSpool, type SpoolFile, spooledPath } from '#gateway/disk/spool-files.ts';
import { readAttempts } from '#gateway/ledger/attempts.ts';
import { doubtOpen, finishItem, insertItem, type NewItem, readItems, readOpen, reviveItem, voidLeases } from '#gateway/ledger/items.ts';
import { oweOriginal } from '#gateway/ledger/publications.ts';
import { restartFeeds } from '#gateway/ledger/restart.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import { scopesOf } from '#gateway/ledger/scopes.ts';
import type { Item, ItemState } from '#gateway/model/item.ts';
import { vanished } from '#gateway/model/receipt-sentences.ts';
import type { Finisher } from '#gateway/publish/finish.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';
import { epochsAgree, moveEpoch } from './epoch.ts';
import { openTraces, type Trace } from './trace.ts';

/** Files that share a commit, and a turn of the event loop: a tenth of a second. */
const TOGETHER = 512;

export interface RecoverParts {
  readonly data: string;
  readonly ledger: Ledger;
  readonly queue: Queue;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly owner: string;
  readonly finisher: Pick<Finisher, 'finish'>;
  /** An operator says that the folder comes from a backup; otherwise the epoch stamps decide, as far as they can. */
  readonly restored?: boolean;
}

export interface Recovered {
  readonly restored: boolean;
  /** Files without a row. */
  readonly adopted: number;
  /** Files whose row says that they have ended. */
  readonly returned: number;
  /** Rows without a file. */
  readonly ended: number;
  readonly held: number;
  readonly cancelled: number;
}

/** Brings both together and rings for everything that is pending, oldest first. To be called with the start locked. */
export async function recoverSpool(parts: RecoverParts): Promise<Recovered> {
  const { data, ledger, queue, log, owner } = parts;
  const agree = await epochsAgree(parts);
  const restored = parts.restored === true || !agree;
  if (!agree)
    log.error({ event: 'recover.restored', sentence: 'ledger and spool do not belong together: open items are looked for first' });
  await ledger.write(['administration'], async (rows) => {
    await voidLeases(rows, owner);
    if (!restored) return;
    await doubtOpen(rows);
    await restartFeeds(rows);
  });

  for (const copy of readCopies(data)) discard(copy);
  const files = readSpool(data);
  const spooled = new Set(files.map((file) => file.item));
  const open = await readOpen(ledger.read);
  const known = new Set(open.map((item) => item.item));
  const traces = openTraces(data);
  const count = { adopted: 0, returned: 0, ended: 0, held: 0, cancelled: 0 };
  const strays = files.filter((file) => !known.has(file.item));
  for (let at = 0; at < strays.length; at += TOGETHER) {
    const some = strays.slice(at, at + TOGETHER);
    const { adopted, returned } = await adopt(parts, some);
    count.adopted += adopted;
    count.returned += returned;
    // A pending item is looked at then; for one that has ended nothing happens.
    for (const { item } of some) queue.ring('submit', item);
  }
  for (const item of open) {
    if (spooled.has(item.item)) {
      if (item.state === 'pending') queue.ring('submit', item.item, item.nextAttemptAt);
    } else if (item.state === 'pending') {
      count[await settle(parts, item, restored, traces(item))]++;
    }
  }
  await moveEpoch(parts);
  if (restored || Object.values(count).some((each) => each > 0)) log.warn({ event: 'recover.done', restored, ...count });
  return { restored, ...count };
}

/** Files that no open row names, in one commit. */
export async function adopt(
  parts: Pick<RecoverParts, 'data' | 'ledger' | 'clock' | 'log'>,
  files: readonly SpoolFile[],
): Promise<Pick<Recovered, 'adopted' | 'returned'>> {
  const { data, ledger, clock, log } = parts;
  const fresh: NewItem[] = [];
  const back: { readonly file: SpoolFile; readonly before: Item }[] = [];
  const known = await readItems(
    ledger.read,
    files.map(({ item }) => item),
  );
  const digest = openDigester();
  for (const file of files) {
    const before = known.get(file.item);
    if (before) back.push({ file, before });
    else fresh.push(newItem(file, await digest(`${data}/${spooledPath(file)}`), clock.now()));
  }
  await ledger.write([], async (rows) => {
    for (const row of fresh) await insertItem(rows, row);
    for (const { file, before } of back) {
      // Cancelled as never acknowledged: its file is here after all.
      if (!(await oweOriginal(rows, before.item, spooledPath(file))))
        await reviveItem(rows, before.item, 'cancelled', 'its file came back');
    }
  });
  for (const { item, home } of fresh) log.warn({ event: 'recover.adopted', item, home });
  for (const { item, accountRegNo, state } of back.map(({ before }) => before)) {
    log.warn({ event: 'recover.returned', item, accountRegNo, state });
  }
  return { adopted: fresh.length, returned: back.length };
}

function newItem(file: SpoolFile, { size, mtimeMs, sha256 }: Digested, nowMs: number): NewItem {
  const { item, home, name: fileName, spoolName, mode } = file;
  const receivedAt = Math.min(Math.round(mtimeMs), nowMs);
  return { item, accountRegNo: home, home, login: null, fileName, spoolName, mode, sha256, size, receivedAt, recovered: true };
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
  if (restored || count > 0) {
    await finisher.finish(item, vanished());
    return 'held';
  }
  await end('cancelled', 'its file is not in the spool: it was never acknowledged');
  return 'cancelled';
}
