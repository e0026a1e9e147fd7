// A daemon is put back to parts of a backup, which its commands have written and unpacked, while ERPs go on: what was in the ledgers, or in the spool, is
// older than what stands in homes and at the other side. Nothing is lost or doubled but what docs/operations.md names.
// DROPGATE_RESTORE_DOCUMENTS is how many documents there are (120; the whole has 600): a third comes before the backup, a third between backup and restore.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { openCoreLedger } from '#core/ledger/open.ts';
import { amountOf } from '../support/amounts.ts';
import { type DaemonOptions, startDaemon, type TestDaemon } from '../support/daemon.ts';
import { isOnPostgres } from '../support/engine.ts';
import { keepPlace } from '../support/ledger-places.ts';
import { connectedTo, newPostgresDatabase } from '../support/postgres.ts';
import { run } from '../support/sftp-clients.ts';
import { ledgerFile, restoreLedger } from '../support/world/ledger-files.ts';
import { allMessages } from '../support/world/ledger-rows.ts';
import { accountsOf, ONE_TO_ONE } from './parties.ts';
import { startTraffic, type Tally } from './traffic.ts';

const DOCUMENTS = amountOf('DROPGATE_RESTORE_DOCUMENTS');
const TIMEOUT_MS = 600_000 + DOCUMENTS * 2_000;
const SETTLED_WITHIN_MS = 300_000;
const LEDGERS = ['core', 'gateway'] as const;

const OPTIONS: DaemonOptions = {
  accounts: accountsOf(ONE_TO_ONE),
  config: { sftp: { listen: '127.0.0.1:0', unauthenticatedPerAddressMax: 100 }, core: { listen: '127.0.0.1:0', requests: 1_000_000 } },
};

/** What is known when the daemon has been killed, before the backup is put in place. */
interface Known {
  /** Documents whose files lay in the spool. */
  readonly spooled: ReadonlySet<string>;
  /** Documents that the buyer's gateway had not marked as read. */
  readonly unmarked: ReadonlySet<string>;
  /** The same, as the backup of the core has it. */
  readonly unmarkedThen: ReadonlySet<string>;
  /** Documents that the core's ledger has not received in the backup, whenever their files were acknowledged. */
  readonly since: ReadonlySet<string>;
}

interface Restore {
  readonly what: string;
  readonly restored: readonly ((typeof LEDGERS)[number] | 'spool')[];
  /** Commands as the manual has them: before the start, and after it. */
  readonly before?: readonly string[];
  readonly after?: (backupAt: string) => readonly string[];
  /** What the manual names: acknowledged documents that do not arrive, and those that come to the receiver once more. */
  readonly mayBeLost?: (known: Known) => ReadonlySet<string>;
  readonly mayComeAgain?: (known: Known) => ReadonlySet<string>;
}

const NOTHING: ReadonlySet<string> = new Set();
const unmarked = (known: Known): ReadonlySet<string> => known.unmarked;
const spooled = (known: Known): ReadonlySet<string> => known.spooled;
/** The core knows nothing of them, and gets them again. */
const sinceOrUnmarked = ({ since, unmarked: left }: Known): ReadonlySet<string> => new Set([...since, ...left]);
/** Nobody has any knowledge of the marks that were set since. */
const sinceOrUnmarkedThen = ({ since, unmarkedThen: left }: Known): ReadonlySet<string> => new Set([...since, ...left]);
const resubmit = (backupAt: string): readonly string[] => ['resubmit', '--since', backupAt];

const RESTORES: readonly Restore[] = [
  { what: "the gateway's ledger", restored: ['gateway'], mayComeAgain: unmarked },
  { what: 'the spool', restored: ['spool'], mayBeLost: spooled },
  {
    what: "the gateway's ledger and spool",
    restored: ['gateway', 'spool'],
    before: ['recover', '--restored'],
    mayBeLost: spooled,
    mayComeAgain: unmarked,
  },
  { what: 'the core', restored: ['core'], after: resubmit, mayComeAgain: sinceOrUnmarked },
  { what: 'both ledgers', restored: ['gateway', 'core'], after: resubmit, mayComeAgain: sinceOrUnmarkedThen },
];

const figures: string[] = [];
afterAll(() => console.log(figures.join('\n')));

it.each(RESTORES)('of $what: nothing is lost or doubled but what the manual names', { timeout: TIMEOUT_MS }, async (restore) => {
  const { tally, known } = await restored(restore);
  const mayBeLost = restore.mayBeLost?.(known) ?? NOTHING;
  const mayComeAgain = restore.mayComeAgain?.(known) ?? NOTHING;
  const { lost, places } = tally;
  const [again = [], sentTwice = [], receivedTwice = []] = [places.arrived, places.sent, places.received].map(idsTwice);
  figures.push(
    `restored, ${restore.what}: ${tally.acknowledged} documents, ${known.since.size} of them after the backup, ${lost.length} lost of ${mayBeLost.size} that may be, ${sentTwice.length} sent twice, ${again.length} came again of ${mayComeAgain.size} that may`,
  );
  const more = {
    lost: lost.filter((id) => !mayBeLost.has(id)),
    sentTwice,
    receivedTwice,
    cameAgain: again.filter((id) => !mayComeAgain.has(id)),
  };
  expect(more).toEqual({ lost: [], sentTwice: [], receivedTwice: [], cameAgain: [] });
});

it('what is lost is noticed: both ledgers were restored, and nobody said resubmit', { timeout: TIMEOUT_MS }, async () => {
  const { tally, known } = await restored({ what: 'both ledgers', restored: LEDGERS }, 'whatever is lost');
  expect(tally.lost.filter((id) => known.since.has(id))).not.toEqual([]);
});

/** One life: a backup in its middle, a death, the backup put back, and the rest of the documents. */
async function restored(
  { restored: names, before, after, mayBeLost }: Restore,
  lost: 'nothing is lost' | 'whatever is lost' = 'nothing is lost',
): Promise<{ tally: Tally; known: Known }> {
  await using daemon = await startDaemon(OPTIONS);
  const traffic = startTraffic({
    gateway: daemon,
    core: daemon,
    documents: DOCUMENTS,
    uploadsAtOnce: 4,
    // However fast they go, the backup lacks something.
    kept: DOCUMENTS / 3,
    settledWithinMs: SETTLED_WITHIN_MS,
  });
  try {
    await traffic.more(DOCUMENTS / 3);
    const file = join(daemon.folder, 'all.backup');
    await commanded(daemon, ['backup', file]);
    traffic.goOn();
    // The stamp by which a restore is noticed moves on at each start, and otherwise every ten seconds.
    await traffic.more(DOCUMENTS / 6);
    await daemon.stop();
    await daemon.start();
    await traffic.more(DOCUMENTS / 6);
    await daemon.kill();
    await using backup = await unpacked(daemon, file);
    const early = await receivedIn(backup.data);
    const known: Known = {
      spooled: traffic.spooled(),
      unmarked: await receivedIn(daemon.data, 'unmarked'),
      unmarkedThen: await receivedIn(backup.data, 'unmarked'),
      since: new Set([...traffic.acknowledged].filter((id) => !early.has(id))),
    };
    for (const name of names) await putBack(daemon, backup.data, name);
    if (before) await commanded(daemon, before);
    await daemon.start();
    if (after) await commanded(daemon, after(backup.at));
    await traffic.uploaded;
    await traffic.settle(lost === 'nothing is lost' ? mayBeLost?.(known) : traffic.acknowledged);
    return { tally: await traffic.tally(), known };
  } finally {
    await traffic.stop();
  }
}

interface Backup extends AsyncDisposable {
  /** The moment of which it is, as the command tells it. */
  readonly at: string;
  /** A data folder, which it was restored into. */
  readonly data: string;
}

/** Into a data folder of its own, by the configuration of the daemon with another place. */
async function unpacked(daemon: TestDaemon, file: string): Promise<Backup> {
  const data = join(daemon.folder, 'restored');
  const database = isOnPostgres ? await newPostgresDatabase() : null;
  if (database) for (const name of LEDGERS) keepPlace(ledgerFile(data, name), { ...database.place, schema: `dropgate_${name}` });
  const config = readFileSync(daemon.configFile, 'utf8');
  writeFileSync(daemon.configFile, stringify({ ...parse(config), data, ...(database && connectedTo(database.place).config) }));
  const told = await commanded(daemon, ['restore', file]).finally(() => writeFileSync(daemon.configFile, config));
  const [, at = ''] = /resubmit --since (\S+)/.exec(told) ?? [];
  return { at, data, [Symbol.asyncDispose]: async () => database?.[Symbol.asyncDispose]() };
}

async function putBack({ data }: TestDaemon, backup: string, name: Restore['restored'][number]): Promise<void> {
  if (name === 'core' || name === 'gateway') return restoreLedger(data, backup, name);
  rmSync(join(data, name), { recursive: true, force: true });
  await run('cp', ['-a', join(backup, name), data]);
}

async function commanded(daemon: TestDaemon, args: readonly string[]): Promise<string> {
  const { status, out, err } = await daemon.cli(args);
  if (status !== 0) throw new Error(`dropgate ${args.join(' ')}: ${err}`);
  return out;
}

/** Documents that have come to the receiver, as a core's ledger in a folder has them. */
async function receivedIn(folder: string, which: 'all' | 'unmarked' = 'all'): Promise<Set<string>> {
  const ledger = await openCoreLedger(ledgerFile(folder, 'core'));
  const received = (await allMessages(ledger)).filter(({ direction }) => direction === 'incoming');
  await ledger.close();
  return new Set(received.filter(({ read_at: readAt }) => which === 'all' || readAt === null).map((each) => each.document_id));
}

function idsTwice(times: Tally['places'][keyof Tally['places']]): string[] {
  return [...times].filter(([, count]) => count > 1).map(([id]) => id);
}
