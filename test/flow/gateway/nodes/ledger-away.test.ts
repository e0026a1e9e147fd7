// The database goes away just when a document has been taken: it keeps its place before what is uploaded when the database is back. No time passes here, so no sweep
// puts anything right.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { sealPath } from '#gateway/disk/paths.ts';
import { startGateway } from '#gateway/gateway.ts';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import { putAccount } from '#gateway/operate/accounts.ts';
import type { Gateway } from '#gateway/options.ts';
import { systemRandom } from '#runtime/clock.ts';
import { openLog } from '#runtime/log.ts';
import { openSeal } from '#runtime/seal.ts';
import { type ManualClock, manualClock } from '../../../support/clock.ts';
import { hasPostgres, newPostgresDatabase, sharedPostgres } from '../../../support/postgres.ts';
import { type Relay, startRelay, type Target } from '../../../support/relay.ts';
import { obliging, type ScriptedService, startScriptedService } from '../../../support/scripted-service.ts';
import { until } from '../../../support/until.ts';
import { numbersSent, uploadInvoice } from '../../../support/uploads.ts';
import { gatewayOptions } from '../../../support/world/gateway-settings.ts';

describe.runIf(hasPostgres)('A document whose database goes', () => {
  let gateway: Gateway;
  let service: ScriptedService;
  let clock: ManualClock;
  let server: Target;
  let relay: Relay;
  let events: string[];

  beforeEach(async () => {
    const database = await newPostgresDatabase();
    onTestFinished(() => database[Symbol.asyncDispose]());
    const data = mkdtempSync(join(tmpdir(), 'dropgate-away-'));
    onTestFinished(() => rmSync(data, { recursive: true, force: true }));
    service = await startScriptedService(obliging);
    onTestFinished(() => service[Symbol.asyncDispose]());
    server = await sharedPostgres();
    relay = await startRelay(server);
    const { host, port } = relay;
    const databaseServer = { ...database.place, host, port };
    clock = manualClock();
    const ledger = await openGatewayLedger(data, databaseServer);
    await putAccount({ data, ledger, seal: await openSeal(sealPath(data), systemRandom), clock }, 'acme', 'key');
    await ledger.close();
    events = [];
    const log = openLog('info', { write: (line) => void events.push(String(JSON.parse(line).event)) });
    gateway = await startGateway({ ...gatewayOptions(data, clock, log, { url: service.url }), databaseServer });
    onTestFinished(() => gateway.close(AbortSignal.abort()));
  });

  function upload(id: string): Promise<void> {
    clock.advance(1);
    return uploadInvoice(gateway.intake, 'acme', id);
  }
  function goAway(): void {
    relay.target = null;
    relay.cut();
  }
  async function comeBack(): Promise<void> {
    relay.target = server;
    const answers = (): Promise<boolean> =>
      gateway.askLedger().then(
        () => true,
        () => false,
      );
    await until('it to answer', answers);
  }
  /** In the order of their first requests: what was answered and could not be written down is asked for again, under its key. */
  const sent = () => [...new Set(numbersSent(service))];

  it('is sent before what is uploaded when the database is back', async () => {
    await upload('F-1');
    // Its ring is answered in the next turn.
    goAway();
    await until('it to be missed', () => events.includes('queue.handler-failed'));
    await comeBack();
    await upload('F-2');
    await until('both to be sent', () => sent().length === 2);
    expect(sent()).toEqual(['F-1', 'F-2']);
  });
});
