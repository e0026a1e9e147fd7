// A node that the database does not answer takes no connections, so that the balancer brings clients to another one.
import { mkdtempSync, rmSync } from 'node:fs';
import { connect as connectSocket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startGateway } from '#gateway/gateway.ts';
import { openLog } from '#runtime/log.ts';
import { manualClock } from '../../../support/clock.ts';
import { hasPostgres, newPostgresDatabase, sharedPostgres } from '../../../support/postgres.ts';
import { startRelay } from '../../../support/relay.ts';
import { obliging, startScriptedService } from '../../../support/scripted-service.ts';
import { until } from '../../../support/until.ts';
import { gatewayOptions } from '../../../support/world/gateway-settings.ts';

const LEASE_MS = 3_600_000;

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
  it('listens no longer when its lease cannot be renewed, and again when it can', async () => {
    const database = await newPostgresDatabase();
    onTestFinished(() => database[Symbol.asyncDispose]());
    const data = mkdtempSync(join(tmpdir(), 'dropgate-closed-'));
    onTestFinished(() => rmSync(data, { recursive: true, force: true }));
    const service = await startScriptedService(obliging);
    onTestFinished(() => service[Symbol.asyncDispose]());
    const server = await sharedPostgres();
    const relay = await startRelay(server);
    const clock = manualClock();
    const events: string[] = [];
    const log = openLog('info', { write: (line) => void events.push(String(JSON.parse(line).event)) });
    const { host, port: at } = relay;
    const gateway = await startGateway({
      ...gatewayOptions(data, clock, log, { url: service.url }),
      databaseServer: { ...database.place, host, port: at },
      node: { name: 'one', leaseMs: LEASE_MS, calmMs: 0, lost: () => undefined },
    });
    onTestFinished(() => gateway.close(AbortSignal.abort()));
    const { port } = gateway.sftp;

    relay.target = null;
    relay.cut();
    clock.advance(LEASE_MS / 4);
    await until('it to be closed', () => events.includes('sftp.closed'));
    expect(await greeting(port)).toContain('ECONNREFUSED');

    relay.target = server;
    await until('it to be opened', () => {
      clock.advance(1_000);
      return events.includes('sftp.opened');
    });
    await until('it to listen', async () => (await greeting(port)).startsWith('SSH-2.0-'));
  });
});
