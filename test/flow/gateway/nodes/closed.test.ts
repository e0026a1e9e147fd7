// A node that cannot take files in takes no connections, so that the balancer brings clients to another one: the database does not answer, the disk is full, or
// the data folder has gone.
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { connect as connectSocket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { DatabaseServer } from '#engines/open.ts';
import { startGateway } from '#gateway/gateway.ts';
import { readNodes } from '#gateway/ledger/nodes.ts';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import type { Gateway } from '#gateway/options.ts';
import { openLog } from '#runtime/log.ts';
import { type ManualClock, manualClock } from '../../../support/clock.ts';
import { hasPostgres, newPostgresDatabase, type PostgresDatabase, sharedPostgres } from '../../../support/postgres.ts';
import { startRelay } from '../../../support/relay.ts';
import { obliging, startScriptedService } from '../../../support/scripted-service.ts';
import { canMount, mountSmallDisk } from '../../../support/small-disk.ts';
import { until } from '../../../support/until.ts';
import { gatewayOptions } from '../../../support/world/gateway-settings.ts';

const LEASE_MS = 3_600_000;
const MIB = 2 ** 20;

/** The first bytes of a server, or why there are none. */
function greeting(port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connectSocket({ host: '127.0.0.1', port });
    onTestFinished(() => void socket.destroy());
    socket.once('data', (bytes) => resolve(bytes.toString('latin1')));
    socket.once('error', (error) => resolve(error.message));
  });
}

describe.runIf(hasPostgres)('A node', () => {
  let database: PostgresDatabase;
  let clock: ManualClock;
  let gateway: Gateway;
  let events: string[];

  beforeEach(async () => {
    database = await newPostgresDatabase();
    onTestFinished(() => database[Symbol.asyncDispose]());
    clock = manualClock();
    events = [];
  });

  function newFolder(): string {
    const folder = mkdtempSync(join(tmpdir(), 'dropgate-closed-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    return folder;
  }

  async function start(data: string, databaseServer: DatabaseServer = database.place): Promise<void> {
    const service = await startScriptedService(obliging);
    onTestFinished(() => service[Symbol.asyncDispose]());
    const log = openLog('info', { write: (line) => void events.push(String(JSON.parse(line).event)) });
    gateway = await startGateway({
      ...gatewayOptions(data, clock, log, { url: service.url }),
      databaseServer,
      node: { name: 'one', leaseMs: LEASE_MS, calmMs: 0, lost: () => undefined },
    });
    onTestFinished(() => gateway.close(AbortSignal.abort()));
  }

  async function isClosed(): Promise<void> {
    await until('it to be closed', () => events.includes('sftp.closed'));
    expect(events).toContain('node.not-ready');
    expect(await greeting(gateway.sftp.port)).toContain('ECONNREFUSED');
  }

  async function opensAgain(): Promise<void> {
    await until('it to be opened', () => {
      clock.advance(1_000);
      return events.includes('sftp.opened');
    });
    await until('it to listen', async () => (await greeting(gateway.sftp.port)).startsWith('SSH-2.0-'));
  }

  it('listens no longer when its lease cannot be renewed, and again when it can', async () => {
    const server = await sharedPostgres();
    const relay = await startRelay(server);
    await start(newFolder(), { ...database.place, host: relay.host, port: relay.port });
    relay.target = null;
    relay.cut();
    clock.advance(LEASE_MS / 4);
    await isClosed();
    relay.target = server;
    await opensAgain();
  });

  it('listens no longer while its ledger does not answer, though its lease is renewed', async () => {
    const data = newFolder();
    await start(data);
    const { read } = gateway.administration.ledger;
    const other = await openGatewayLedger(data, database.place);
    onTestFinished(() => other.close());
    const { promise: free, resolve } = Promise.withResolvers<void>();
    const { promise: kept, resolve: keep } = Promise.withResolvers<void>();
    // Questions that wait for a lock take all connections.
    const keeping = other.write([], async (rows) => {
      await sql`select pg_advisory_xact_lock(1)`.execute(rows);
      keep();
      await free;
    });
    await kept;
    const waiting = Array.from({ length: database.place.connectionsMax }, () => sql`select pg_advisory_xact_lock_shared(1)`.execute(read));
    const leftMs = async (): Promise<number> => (await readNodes(other.read))[0]?.leftMs ?? 0;
    const before = await leftMs();
    clock.advance(LEASE_MS / 4);
    await until('its lease to be renewed', async () => (await leftMs()) > before);
    clock.advance(LEASE_MS / 4);
    await isClosed();
    resolve();
    await Promise.all([keeping, ...waiting]);
    await opensAgain();
  });

  it.runIf(canMount())('listens no longer while its disk is full', async () => {
    using disk = mountSmallDisk(220 * MIB);
    await start(disk.folder);
    disk.fill(190 * MIB);
    clock.advance(LEASE_MS / 4);
    await isClosed();
    disk.empty();
    await opensAgain();
    await gateway.close(AbortSignal.abort());
  });

  it('listens no longer while another folder lies where its data folder was, and makes that none of its own', async () => {
    const [data, kept] = [newFolder(), join(newFolder(), 'kept')];
    await start(data);
    await gateway.askDisk();
    renameSync(data, kept);
    mkdirSync(data);
    const reason = `The data folder ${data} is another one than it was, or is not mounted: `;
    await expect(gateway.askDisk()).rejects.toThrow(reason);
    clock.advance(LEASE_MS / 4);
    await isClosed();
    expect(readdirSync(data)).not.toContain('folder.id');
    renameSync(data, join(newFolder(), 'foreign'));
    renameSync(kept, data);
    await opensAgain();
  });
});
