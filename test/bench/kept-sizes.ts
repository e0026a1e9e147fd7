// What documents take where they are kept when they have passed: rows of the ledgers, on both engines, and blocks of the file system in homes and archives.
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { CompiledQuery, type QueryResult } from 'kysely';
import { eraseMessages } from '#core/ledger/account-data.ts';
import { openCoreLedger } from '#core/ledger/open.ts';
import type { Ledger as CoreLedger } from '#core/ledger/schema.ts';
import { buryWaiting } from '#core/ledger/webhook-events.ts';
import { insertWebhook } from '#core/ledger/webhooks.ts';
import type { DatabaseServer } from '#engines/open.ts';
import { eraseItems, readFilesOf } from '#gateway/ledger/account-data.ts';
import { keepFailedUpload } from '#gateway/ledger/failed-uploads.ts';
import { keepExpiry } from '#gateway/ledger/fetches.ts';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import { itemPages } from '#gateway/ledger/searches.ts';
import { type DaemonOptions, startDaemon, type TestDaemon } from '../support/daemon.ts';
import { connectedTo, newPostgresDatabase } from '../support/postgres.ts';
import { postgresPrograms, startPostgres } from '../support/postgres-server.ts';
import { ledgerFile } from '../support/world/ledger-files.ts';
import { AS_INSTALLED } from './as-installed.ts';
import { table } from './figures.ts';
import { buyer, sellerAndBuyers } from './parties.ts';
import { CONFIG } from './pipeline-daemons.ts';
import { DOCUMENT_BYTES, settled, uploadAll } from './pipeline-load.ts';
import { openSshLanes } from './pipeline-ssh.ts';

const BUYERS = 8;
const LANES = 8;
const SELLER = 'seller';
const WEBHOOK = 'b7c5c0de-0000-4000-8000-000000000001';

interface Asked {
  executeQuery<Row>(query: CompiledQuery<Row>): Promise<QueryResult<Row>>;
}

/** Where ledgers are, and how the bytes of their tables, indexes included, are told there. */
interface Engine {
  readonly name: string;
  readonly server: DatabaseServer | null;
  readonly options: Pick<DaemonOptions, 'config' | 'env'>;
  /** `name` and `bytes`. */
  readonly sizes: (part: 'gateway' | 'core') => string;
  /** Gives back what changed rows have left, which is used again while documents pass. */
  readonly rewrite: () => Promise<unknown>;
}

/** Two files of SQLite. */
const ON_SQLITE: Engine = {
  name: 'SQLite',
  server: null,
  options: {},
  sizes: () => 'select tbl_name as name, sum(pgsize) as bytes from dbstat join sqlite_schema using (name) group by tbl_name',
  rewrite: async () => undefined,
};

export async function reportKept(documents: number, print: (line: string) => void): Promise<void> {
  print(`\n  what is kept of each of ${documents} invoices of ${DOCUMENT_BYTES} bytes, bytes`);
  print(table(await keptOn(ON_SQLITE, documents, true)));
  if (postgresPrograms() === undefined) return print('  on PostgreSQL: not measured, it is not installed');
  await using postgres = await startPostgres();
  await using database = await newPostgresDatabase({ server: postgres.server });
  const { config, env } = connectedTo(database.place, postgres.server);
  const onPostgres: Engine = {
    name: 'PostgreSQL',
    server: database.place,
    options: { config, env },
    sizes: (part) =>
      `select relname as name, pg_total_relation_size(oid)::float8 as bytes from pg_class where relkind = 'r' and relnamespace = 'dropgate_${part}'::regnamespace`,
    rewrite: () => database.administer('vacuum full'),
  };
  print(table(await keptOn(onPostgres, documents, false)));
}

type Figures = (readonly [what: string, figure: string])[];

async function keptOn(engine: Engine, documents: number, withFiles: boolean): Promise<Figures> {
  const { config = {}, env = {} } = engine.options;
  await using daemon = await startDaemon({
    accounts: sellerAndBuyers(BUYERS),
    config: { ...CONFIG, ...config, gateway: { archive: '3650d' } },
    ...AS_INSTALLED,
    env: { ...AS_INSTALLED.env, ...env },
  });
  await daemon.stop();
  await using ledgers = await ledgersOf(daemon, engine);
  const holder = { scope: 'account', accountRegNo: SELLER } as const;
  // Nobody answers there.
  const webhook = { id: WEBHOOK, url: 'https://127.0.0.1:9/', types: ['document_delivery'] } as const;
  await ledgers.core.write([], (rows) => insertWebhook(rows, holder, webhook, Date.now()));
  await daemon.start();
  using ssh = await openSshLanes(daemon, LANES);
  const load = { documents, buyers: BUYERS, atOnce: LANES, from: 0 };
  await uploadAll(load, ssh.lanes);
  await settled(daemon, load);
  await daemon.stop();
  return [...(await rowsKept(engine, ledgers, documents)), ...(withFiles ? filesKept(daemon) : [])];
}

interface Ledgers {
  readonly gateway: Ledger;
  readonly core: CoreLedger;
}

async function ledgersOf({ data }: TestDaemon, { server }: Engine): Promise<Ledgers & AsyncDisposable> {
  const gateway = await openGatewayLedger(data, server);
  const core = await openCoreLedger(ledgerFile(data, 'core'), server);
  return {
    gateway,
    core,
    async [Symbol.asyncDispose]() {
      await gateway.close();
      await core.close();
    },
  };
}

async function rowsKept(engine: Engine, { gateway, core }: Ledgers, documents: number): Promise<Figures> {
  const files = await publishedTo(gateway, [SELLER]);
  const received = await publishedTo(
    gateway,
    Array.from({ length: BUYERS }, (_, at) => buyer(at)),
  );
  await gateway.write([], async (rows) => {
    for (const { home, folder, name } of files) await keepExpiry(rows, { home, folder, name }, Date.now());
    const failed = { home: SELLER, login: SELLER, address: '192.0.2.7', size: DOCUMENT_BYTES, reason: 'the connection was lost', times: 1 };
    for (let at = 0; at < documents; at++) await keepFailedUpload(rows, { ...failed, fileName: `b-${at}.xml`, atMs: at }, documents);
  });
  const dead = await core.write([], (rows) => buryWaiting(rows, WEBHOOK, 'HTTP 503', documents * BUYERS, Date.now()));
  const kept = await sizesOf(engine, gateway, core);
  const shareOfSent = files.length / (files.length + received.length);
  const sent = kept('items', 'attempts', 'deliveries') + kept('publications') * shareOfSent;
  const documentRows = kept('documents');

  for await (const items of itemPages(gateway.read, SELLER)) await gateway.write([], (rows) => eraseItems(rows, SELLER, SELLER, items));
  while ((await core.write([], (rows) => eraseMessages(rows, SELLER))) > 0);
  const ever = await sizesOf(engine, gateway, core);
  const line = (what: string, bytes: number, count: number): Figures[number] => [`${engine.name}: ${what}`, (bytes / count).toFixed(0)];
  return [
    line('a file that was sent', sent, documents),
    line('… when its original and its receipts have gone, more', kept('fetches'), documents),
    line('… of that for ever', ever('sent_before'), documents),
    line('a received document', documentRows + kept('publications') * (1 - shareOfSent), documents),
    line('… of that for ever', documentRows, documents),
    line('a message of the core', kept('messages', 'message_contents', 'message_log'), 2 * documents),
    line('… of that for ever', ever('taken'), documents),
    line('an upload that failed', kept('failed_uploads'), documents),
    line('an event that was given up', kept('webhook_events'), dead),
  ];
}

async function publishedTo({ read }: Ledger, accounts: readonly string[]) {
  const found: Awaited<ReturnType<typeof readFilesOf>> = [];
  for (const account of accounts) {
    for (
      let page = await readFilesOf(read, account, 0);
      page.length > 0;
      page = await readFilesOf(read, account, page.at(-1)?.publication ?? 0)
    ) {
      found.push(...page);
    }
  }
  return found;
}

/** Resolves with what tells the bytes of tables together. */
async function sizesOf({ sizes, rewrite }: Engine, gateway: Ledger, core: CoreLedger): Promise<(...tables: readonly string[]) => number> {
  await rewrite();
  const told = async (asked: Asked, part: 'gateway' | 'core') =>
    (await asked.executeQuery<{ readonly name: string; readonly bytes: number }>(CompiledQuery.raw(sizes(part), []))).rows;
  const all = new Map(
    [...(await told(core.read, 'core')), ...(await told(gateway.read, 'gateway'))].map(({ name, bytes }) => [name, bytes]),
  );
  return (...tables) => tables.reduce((sum, name) => sum + (all.get(name) ?? Number.NaN), 0);
}

/** Blocks of the file system, of each file. */
function filesKept({ data }: TestDaemon): Figures {
  const buyers = Array.from({ length: BUYERS }, (_, at) => buyer(at));
  const line = (what: string, folders: readonly string[]): Figures[number] => {
    const blocks = folders.flatMap((folder) => filesIn(join(data, folder)));
    return [`on disk: ${what}`, (blocks.reduce((sum, bytes) => sum + bytes, 0) / blocks.length).toFixed(0)];
  };
  const [day = ''] = readdirSync(join(data, 'archive', SELLER));
  return [
    line('an original in accepted/', [`homes/${SELLER}/accepted`]),
    line('a receipt', [`homes/${SELLER}/receipts`]),
    line(
      'a document in the outbox',
      buyers.map((each) => `homes/${each}/outbox`),
    ),
    line('an original in the archive', [`archive/${SELLER}/${day}/sent`]),
    line('a receipt in the archive', [`archive/${SELLER}/${day}/receipts`]),
    line(
      'a received document in the archive',
      buyers.map((each) => `archive/${each}/${day}`),
    ),
  ];
}

const BLOCK_BYTES = 512;

function filesIn(folder: string): number[] {
  const files = readdirSync(folder).map((name) => lstatSync(join(folder, name)));
  return files.filter((stats) => stats.isFile()).map(({ blocks }) => blocks * BLOCK_BYTES);
}
