// What documents that pass hear of messages that leave the core's ledger because their time is over: a daemon with old messages, in turns while it deletes
// them and while it keeps them. And what is kept of documents until then.
import { CompiledQuery } from 'kysely';
import { openCoreLedger } from '#core/ledger/open.ts';
import type { Ledger } from '#core/ledger/schema.ts';
import { configure, startDaemon, type TestDaemon } from '../support/daemon.ts';
import { BUYER, invoiceOfSize } from '../support/documents.ts';
import { ledgerFile } from '../support/world/ledger-files.ts';
import { AS_INSTALLED } from './as-installed.ts';
import { p50And99, percentile, table } from './figures.ts';
import { fill } from './fill.ts';
import { reportKept } from './kept-sizes.ts';
import type { BenchOptions } from './options.ts';
import { sellerAndBuyers } from './parties.ts';
import { CONFIG, numbering } from './pipeline-daemons.ts';
import { afterClose, type Load, settled, timesOf, uploadAll } from './pipeline-load.ts';
import { openSshLanes } from './pipeline-ssh.ts';

const BUYERS = 20;
const LANES = 16;
const UPLOADS_PER_SECOND = 100;
const OLD_BYTES = 6_000;
/** Longer than what is filled in is old, and shorter. */
const PERIODS = { kept: '3650d', deleted: '30d' } as const;

interface Size {
  readonly messages: number;
  readonly documents: number;
  readonly warmUp: number;
  readonly turns: number;
}

/** Of one turn. */
interface Turn {
  readonly acceptedMs: readonly number[];
  readonly closingMs: readonly number[];
  readonly deleted: number;
  readonly seconds: number;
}

export async function benchRetention({ short, print }: BenchOptions): Promise<void> {
  const size: Size = short
    ? { messages: 100_000, documents: 400, warmUp: 200, turns: 3 }
    : { messages: 1_000_000, documents: 3_000, warmUp: 500, turns: 3 };
  // Its messages are old; nothing is sent to it.
  const old = { accountRegNo: 'buyer', participants: [BUYER] };
  await using daemon = await startDaemon({ accounts: [...sellerAndBuyers(BUYERS), old], config: CONFIG, ...AS_INSTALLED });
  await daemon.stop();
  await onLedger(daemon, (ledger) => fillOld(ledger, size.messages));
  const next = numbering(0);
  const turn = (period: keyof typeof PERIODS): Promise<Turn> => measured(daemon, PERIODS[period], size, next);
  const kept: Turn[] = [];
  const deleting: Turn[] = [];
  for (let at = 0; at < size.turns; at++) {
    kept.push(await turn('kept'));
    deleting.push(await turn('deleted'));
  }
  print(
    `  ${size.messages} messages of ${OLD_BYTES} bytes whose time is over, ${UPLOADS_PER_SECOND} uploads a second, ${size.turns} turns of ${size.documents} each way`,
  );
  print(table([...figuresOf('kept', kept), ...figuresOf('deleted', deleting)]));
  print(
    table([
      ['p99 of accepted, while they are deleted ÷ while they are kept', ratioOf(deleting, kept)],
      ['deleted', speedOf(deleting, size)],
    ]),
  );
  await reportKept(short ? 400 : 3_000, print);
}

async function onLedger<Result>({ data }: TestDaemon, work: (ledger: Ledger) => Promise<Result>): Promise<Result> {
  const ledger = await openCoreLedger(ledgerFile(data, 'core'));
  try {
    return await work(ledger);
  } finally {
    await ledger.close();
  }
}

/** Incoming invoices of two years, which were all read. */
async function fillOld(ledger: Ledger, messages: number): Promise<void> {
  await fill(ledger, 1, messages, invoiceOfSize(OLD_BYTES));
  await ledger.write([], async (rows) => {
    for (const statement of [READ, LOGGED]) await rows.executeQuery(CompiledQuery.raw(statement, []));
  });
}

const COUNTED = "select count(*) as count from messages where account_reg_no = 'buyer'";
const READ = "update messages set read_at = created_at where account_reg_no = 'buyer'";
const LOGGED = `insert into message_log (sequence, version, at, event, status)
  select sequence, 1, created_at, 'stored', 'received' from messages where account_reg_no = 'buyer'`;

/** From a start to a stop, for the daemon looks when it starts. */
async function measured(
  daemon: TestDaemon,
  keepMessages: string,
  { documents, warmUp }: Size,
  next: (load: Omit<Load, 'from'>) => Load,
): Promise<Turn> {
  configure(daemon, { core: { ...CONFIG.core, keepMessages } });
  const before = await left(daemon);
  await daemon.start();
  const beganMs = performance.now();
  using ssh = await openSshLanes(daemon, LANES);
  const run = async (count: number) => {
    const load = next({ documents: count, buyers: BUYERS, atOnce: LANES, perSecond: UPLOADS_PER_SECOND });
    const uploads = await uploadAll(load, ssh.lanes);
    await settled(daemon, load);
    return { uploads, acceptedMs: afterClose(uploads, timesOf(daemon, load, uploads).acceptedMs) };
  };
  await run(warmUp);
  const { uploads, acceptedMs } = await run(documents);
  const seconds = (performance.now() - beganMs) / 1_000;
  await daemon.stop();
  return { acceptedMs, closingMs: uploads.closingMs, deleted: before - (await left(daemon)), seconds };
}

/** Messages of the account that gets none. */
async function left(daemon: TestDaemon): Promise<number> {
  const { rows } = await onLedger(daemon, ({ read }) => read.executeQuery<{ readonly count: number }>(CompiledQuery.raw(COUNTED, [])));
  return Number(rows[0]?.count ?? 0);
}

const acceptedOf = (turns: readonly Turn[]): number[] => turns.flatMap(({ acceptedMs }) => acceptedMs);

function figuresOf(how: string, turns: readonly Turn[]): [string, string][] {
  const closing = turns.flatMap(({ closingMs }) => closingMs);
  return [
    [`CLOSE sent → answered, p50 / p99, while they are ${how}`, p50And99(closing)],
    [`CLOSE answered → accepted, while they are ${how}`, p50And99(acceptedOf(turns))],
  ];
}

function ratioOf(deleting: readonly Turn[], kept: readonly Turn[]): string {
  return (percentile(acceptedOf(deleting), 99) / percentile(acceptedOf(kept), 99)).toFixed(2);
}

function speedOf(turns: readonly Turn[], { messages }: Size): string {
  const deleted = turns.reduce((sum, turn) => sum + turn.deleted, 0);
  const perSecond = deleted / turns.reduce((sum, { seconds }) => sum + seconds, 0);
  return `${deleted}, ${perSecond.toFixed(0)} a second: ${(messages / perSecond / 60).toFixed(0)} minutes for all`;
}
