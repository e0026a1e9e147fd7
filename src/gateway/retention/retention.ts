// What has ended leaves the ledger when its time is over: a few rows at a time, with a rest between, so that no session waits for it. Of a file that was
// sent a digest stays, so that the same file is still a duplicate; and of a received document that it was received. Of an upload that came to nothing
// nothing stays.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { inGroups } from '#domain/groups.ts';
import { isIn } from '#gateway/disk/paths.ts';
import { spooledPath } from '#gateway/disk/spool-files.ts';
import { isHomeOfNobody } from '#gateway/ledger/hands.ts';
import {
  deleteEndedItems,
  deleteFailedUploads,
  deleteWrittenFiles,
  type EndedItem,
  type FailedUploadRow,
  type Page,
  readEndedItems,
  readFailedUploadPage,
  readWrittenFiles,
  type WrittenFile,
} from '#gateway/ledger/retention.ts';
import type { Ledger, Rows } from '#gateway/ledger/schema.ts';
import { scopesOf } from '#gateway/ledger/scopes.ts';
import type { HomesInHand } from '#gateway/model/homes.ts';
import type { KeepSettings } from '#gateway/model/keeping.ts';
import type { Clock } from '#runtime/clock.ts';
import { repeatInSteps } from '#runtime/in-steps.ts';
import type { Log } from '#runtime/log.ts';
import { type Periods, readPeriods } from './periods.ts';

/** Deleted in one write: what it takes is no more than what a busy moment brings. */
const AT_ONCE = 20;

interface RetentionParts {
  readonly data: string;
  readonly ledger: Ledger;
  readonly inHand: Pick<HomesInHand, 'run'>;
  /** Whether this node does what one is to do for all; there are no others where it is left out. */
  readonly isFirst?: (() => Promise<boolean>) | undefined;
  readonly settings: KeepSettings;
  readonly clock: Clock;
  readonly log: Log;
}

/** Looks every few hours. Dispose to stop. */
export function startRetention(parts: RetentionParts): AsyncDisposable {
  const { clock, log } = parts;
  return repeatInSteps(
    clock,
    () => deleteWhatIsOver(parts),
    (error) => log.warn({ event: 'retention.failed', err: error }),
  );
}

/** A step at a time; yields behind each. */
async function* deleteWhatIsOver(parts: RetentionParts): AsyncGenerator<void> {
  const periods = await readPeriods(parts.ledger.read, parts.settings);
  const [items, uploads] = [periods.shortest('items'), periods.shortest('failedUploads')];
  const kinds = [
    ['items', inPages(parts, items, readEndedItems, (page) => itemsOver(parts, page, periods))],
    ['files', inPages(parts, items, readWrittenFiles, (page) => filesOver(parts, page, periods))],
    ['failedUploads', inPages(parts, uploads, readFailedUploadPage, (page) => uploadsOver(parts, page, periods, uploads))],
  ] as const;
  const deleted = { items: 0, files: 0, failedUploads: 0 };
  for (const [kind, counts] of kinds) {
    for await (const count of counts) {
      deleted[kind] += count;
      yield;
    }
  }
  if (Object.values(deleted).some((count) => count > 0)) parts.log.info({ event: 'retention.deleted', ...deleted });
}

/** Deletes a few rows. */
type Step = () => Promise<number>;

/** Goes through what came before the shortest period; yields what each step has deleted, and 0 for a page of which nothing is. */
async function* inPages<Row>(
  { ledger, clock }: RetentionParts,
  shortestMs: number,
  read: (rows: Ledger['read'], after: string, beforeMs: number) => Promise<Page<Row>>,
  stepsOf: (page: readonly Row[]) => readonly Step[],
): AsyncGenerator<number> {
  if (shortestMs === Number.POSITIVE_INFINITY) return;
  for (let after: string | null = ''; after !== null; ) {
    const { found, next }: Page<Row> = await read(ledger.read, after, clock.now() - shortestMs);
    yield 0;
    for (const step of stepsOf(found)) yield await step();
    after = next;
  }
}

function itemsOver(parts: RetentionParts, page: readonly EndedItem[], periods: Periods): Step[] {
  const { data, clock } = parts;
  // A file that is still in the spool would be taken for one whose row was lost.
  const over = page.filter(
    (each) => each.endedAt < clock.now() - periods.of(each.accountRegNo).items && !existsSync(join(data, spooledPath(each))),
  );
  return grouped(over).map((group) => async () => {
    const items = group.map(({ item }) => item);
    const [owner] = group;
    return owner ? deleteForHome(parts, owner, (rows) => deleteEndedItems(rows, owner, items)) : 0;
  });
}

function filesOver(parts: RetentionParts, page: readonly WrittenFile[], periods: Periods): Step[] {
  const { data, clock } = parts;
  // While a file lies in the outbox no other one may get its name.
  const over = page.filter(
    ({ writtenAt, accountRegNo, home, name }) =>
      writtenAt < clock.now() - periods.of(accountRegNo).items && !isIn(data, home, 'outbox', name),
  );
  return grouped(over).map((group) => async () => {
    const publications = group.map(({ publication }) => publication);
    const [owner] = group;
    return owner ? deleteForHome(parts, owner, (rows) => deleteWrittenFiles(rows, publications)) : 0;
  });
}

/** The process deletes that has the home in hand. One of an account that was removed nobody takes up any more: then the node that joined first does. */
async function deleteForHome(
  { ledger, inHand, isFirst }: RetentionParts,
  owner: Pick<EndedItem, 'accountRegNo' | 'home'>,
  deleteRows: (rows: Rows) => Promise<number>,
): Promise<number> {
  const deleted = await inHand.run(owner.home, () => ledger.write(scopesOf(owner), deleteRows));
  if (deleted !== undefined) return deleted;
  if (!isFirst || !(await isFirst())) return 0;
  return ledger.write(scopesOf(owner), async (rows) => ((await isHomeOfNobody(rows, owner.home)) ? deleteRows(rows) : 0));
}

/** Of homes that no process has in hand, too: an account that is gone leaves none behind. */
function uploadsOver({ ledger, clock }: RetentionParts, page: readonly FailedUploadRow[], periods: Periods, shortestMs: number): Step[] {
  const over = page.filter(({ atMs, home }) => atMs < clock.now() - periods.of(home).failedUploads);
  return inGroups(over, AT_ONCE).map((group) => {
    const uploads = group.map(({ upload }) => upload);
    return () => ledger.write([], (rows) => deleteFailedUploads(rows, uploads, clock.now() - shortestMs));
  });
}

/** Rows of one account and home together, as many as one write takes. */
function grouped<Row extends Pick<EndedItem, 'accountRegNo' | 'home'>>(over: readonly Row[]): Row[][] {
  const groups = [...Map.groupBy(over, ({ accountRegNo, home }) => `${accountRegNo}\n${home}`).values()];
  return groups.flatMap((rows) => inGroups(rows, AT_ONCE));
}
