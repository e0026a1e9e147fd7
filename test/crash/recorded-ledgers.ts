// What both ledgers held after each commit of a recording, where they are in PostgreSQL: for those who start after a crash a commit is there, or it is
// not. A relay lets commits through one by one, and passes an answer on when all rows have been read: what follows from a commit comes behind it.
import pg from 'pg';
import { openCoreLedger } from '#core/ledger/open.ts';
import { coreSchema } from '#core/ledger/schema.ts';
import type { DatabaseServer } from '#engines/open.ts';
import type { PostgresPlace } from '#engines/postgres/place.ts';
import type { Schema } from '#engines/schema.ts';
import { folderId } from '#gateway/disk/folder-id.ts';
import { markPlace } from '#gateway/disk/folder-place.ts';
import { forgetProcess, readProcesses, takeHomes } from '#gateway/ledger/hands.ts';
import { putFolderId, putNode } from '#gateway/ledger/nodes.ts';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import { gatewaySchema } from '#gateway/ledger/schema.ts';
import { ALL_HOMES } from '#gateway/model/homes.ts';
import { systemRandom } from '#runtime/clock.ts';
import { type Call, marksIn } from '../support/faults/journal.ts';
import type { Faults } from '../support/faults/shim.ts';
import { keepPlace, placeOf } from '../support/ledger-places.ts';
import { connectedTo, newPostgresDatabase, type PostgresDatabase } from '../support/postgres.ts';
import { type HeldCommit, openRelay } from '../support/relay.ts';
import { type LedgerName, ledgerFile, removeLedger } from '../support/world/ledger-files.ts';

/** A mark: what was committed is no call of ours. */
export const COMMITTED = 'committed';

/** A lease of so long. */
const PASSED_MS = -1_000;

/** In the order in which they may be filled. */
const TABLES = [...tablesOf('core', coreSchema), ...tablesOf('gateway', gatewaySchema)];

function tablesOf(ledger: LedgerName, { tables }: Schema) {
  return Object.entries(tables).map(([table, { columns }]) => {
    const numbered = Object.entries(columns).find(([, { kind }]) => kind === 'key');
    return { ledger, table, key: numbered?.[0] };
  });
}

/** By table: all rows as JSON, and the last number that was given. Tables in which nothing changed share their text. */
type Snapshot = readonly { readonly rows: string; readonly last: number | null }[];

export interface RecordedLedgers extends AsyncDisposable {
  /** For the daemon that is recorded. */
  readonly connected: ReturnType<typeof connectedTo>;
  /** For a program that is no daemon. */
  readonly server: DatabaseServer;
  /** After these calls, as the ledgers of a data folder. */
  putBack(calls: readonly Call[], data: string): Promise<void>;
  /** The same in a database of their own, where a node `one` had all homes in hand, whose lease has passed. It ends when it is disposed of. */
  putBackOfNode(calls: readonly Call[], data: string): Promise<PostgresDatabase>;
  /** Removes them. */
  forget(data: string): void;
  /** Both have been made; from now on each commit is marked. */
  begin(faults: Pick<Faults, 'mark'>): Promise<void>;
}

export async function recordLedgers(): Promise<RecordedLedgers> {
  await using started = new AsyncDisposableStack();
  const database = started.use(await newPostgresDatabase());
  const relay = started.use(await openRelay(database.place));
  const client = started.adopt(await connected(database.place), (each) => each.end());
  const snapshots: Snapshot[] = [];
  let last: Promise<unknown> = Promise.resolve();
  const look = async (): Promise<void> => void snapshots.push(await snapshotOf(client, snapshots.at(-1)));
  const kept = started.move();
  const { host, port } = relay;
  return {
    connected: connectedTo(database.place, relay),
    server: { ...database.place, host, port },
    async begin(faults) {
      await look();
      const through = async (commit: HeldCommit): Promise<void> => {
        await commit.deliver();
        await look();
        faults.mark(COMMITTED);
        commit.answer();
      };
      relay.atCommit = (commit) => {
        last = last.then(() => through(commit));
      };
    },
    async putBack(calls, data) {
      await markRebuilt(data);
      for (const opened of [await openCoreLedger(ledgerFile(data, 'core')), await openGatewayLedger(data)]) await opened.close();
      const place = placeOf(ledgerFile(data));
      if (!place) throw new Error(`no ledgers were opened in ${data}`);
      await fill(snapshotAfter(snapshots, calls), place, (ledger) => placeOf(ledgerFile(data, ledger))?.schema ?? '');
    },
    async putBackOfNode(calls, data) {
      await markRebuilt(data);
      const own = await newPostgresDatabase();
      const { place } = own;
      // For commands that open them by their files.
      for (const name of ['core', 'gateway'] as const) keepPlace(ledgerFile(data, name), { ...place, schema: `dropgate_${name}` });
      await (await openCoreLedger(ledgerFile(data, 'core'), place)).close();
      const ledger = await openGatewayLedger(data, place);
      await fill(snapshotAfter(snapshots, calls), place, (name) => `dropgate_${name}`);
      const folder = await folderId(data, systemRandom);
      await ledger.write(['administration'], async (rows) => {
        await putFolderId(rows, folder);
        // It may have died before it had a row.
        for (const { incarnation, place: where } of await readProcesses(rows)) {
          await forgetProcess(rows, incarnation);
          await putNode(rows, { incarnation, node: 'one', place: where }, PASSED_MS);
          await takeHomes(rows, incarnation, ALL_HOMES);
        }
      });
      await ledger.close();
      return own;
    },
    forget(data) {
      for (const name of ['core', 'gateway'] as const) removeLedger(data, name);
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** It is a copy, and to who starts on it the folder itself. */
function markRebuilt(data: string): Promise<void> {
  return markPlace(data, () => undefined);
}

async function connected({ host, port, user, password, database }: PostgresPlace): Promise<pg.Client> {
  const client = new pg.Client({ host, port, user, password: password ?? '', database });
  client.on('error', () => {});
  await client.connect();
  return client;
}

async function snapshotOf(client: pg.Client, before: Snapshot | undefined): Promise<Snapshot> {
  const looks = TABLES.map(({ ledger, table, key }) => {
    const name = `dropgate_${ledger}."${table}"`;
    const given = key === undefined ? 'null::bigint' : `pg_sequence_last_value(pg_get_serial_sequence('${name}', '${key}')::regclass)`;
    return `select (select coalesce(json_agg(each), '[]')::text from ${name} as each) as rows, ${given} as last`;
  });
  const { rows } = await client.query<{ rows: string; last: string | null }>(looks.join(' union all '));
  return rows.map(({ rows: text, last }, at) => ({
    rows: text === before?.[at]?.rows ? before[at].rows : text,
    last: last === null ? null : Number(last),
  }));
}

function snapshotAfter(snapshots: readonly Snapshot[], calls: readonly Call[]): Snapshot {
  const commits = marksIn(calls, COMMITTED).length;
  const snapshot = snapshots[commits];
  if (!snapshot) throw new Error(`there were no ${commits} commits`);
  return snapshot;
}

async function fill(snapshot: Snapshot, place: PostgresPlace, schemaFor: (ledger: LedgerName) => string): Promise<void> {
  const client = await connected(place);
  try {
    await client.query('begin');
    for (const [at, { ledger, table, key }] of TABLES.entries()) {
      const name = `${schemaFor(ledger)}."${table}"`;
      const { rows = '[]', last = null } = snapshot[at] ?? {};
      await client.query(`insert into ${name} select * from json_populate_recordset(null::${name}, $1::json)`, [rows]);
      if (last !== null) await client.query(`select setval(pg_get_serial_sequence('${name}', '${key}')::regclass, ${last})`);
    }
    await client.query('commit');
  } finally {
    await client.end();
  }
}
