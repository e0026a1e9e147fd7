// Two gateways in this process on one database of PostgreSQL and one data folder, each with homes of its own in hand, and a clock that the test moves.
// They end with the test that has started them.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { sealPath } from '#gateway/disk/paths.ts';
import { startGateway } from '#gateway/gateway.ts';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import { putAccount } from '#gateway/operate/accounts.ts';
import { addLogin, addLoginHome } from '#gateway/operate/logins.ts';
import type { Gateway } from '#gateway/options.ts';
import { loadHostKeys } from '#gateway/sftp/host-keys.ts';
import { systemRandom } from '#runtime/clock.ts';
import { openLog } from '#runtime/log.ts';
import { openSeal } from '#runtime/seal.ts';
import { calm } from '../calm.ts';
import { type ManualClock, manualClock } from '../clock.ts';
import { newPostgresDatabase } from '../postgres.ts';
import { obliging, type ScriptedService, startScriptedService } from '../scripted-service.ts';
import type { Door } from '../sftp-clients.ts';
import { PASSWORD_HASH } from '../sftp-server.ts';
import { type GivenSettings, gatewayOptions } from './gateway-settings.ts';
import { type Homes, homesOf } from './homes.ts';

export interface Node {
  readonly gateway: Gateway;
  readonly clock: ManualClock;
  /** For a client, as the login `erp`. */
  readonly door: Door;
  /** Seconds pass for it alone. */
  pass(seconds: number): Promise<void>;
  stop(): Promise<void>;
}

export interface Nodes extends Homes {
  readonly data: string;
  readonly ledger: Ledger;
  readonly service: ScriptedService;
  /** Has all homes in hand but `seller`, whose login is `erp`; `acme` is one of them, and its login `other`. */
  readonly one: Node;
  /** Has `seller` in hand. */
  readonly two: Node;
}

const HOMES = ['seller', 'acme'];
const LOGINS = [
  ['erp', 'seller'],
  ['other', 'acme'],
] as const;

/** Both by `begin`, which may have a defect. */
export async function startNodes(settings: Omit<GivenSettings, 'url'> = {}, begin = startGateway): Promise<Nodes> {
  const database = await newPostgresDatabase();
  onTestFinished(() => database[Symbol.asyncDispose]());
  const data = mkdtempSync(join(tmpdir(), 'dropgate-nodes-'));
  onTestFinished(() => rmSync(data, { recursive: true, force: true }));
  const service = await startScriptedService(obliging);
  onTestFinished(() => service[Symbol.asyncDispose]());
  const ledger = await openGatewayLedger(data, database.place);
  onTestFinished(() => ledger.close());
  const seal = await openSeal(sealPath(data), systemRandom);
  const on = { data, ledger, seal, clock: manualClock() };
  for (const home of HOMES) await putAccount(on, home, `key-${home}`);
  for (const [login, home] of LOGINS) {
    await addLogin(on, { login, passwordHash: PASSWORD_HASH, publicKeys: [] });
    await addLoginHome(on, login, home, '');
  }

  async function start(): Promise<Node> {
    const clock = manualClock();
    const given = { hinted: false, ...settings, url: service.url };
    const options = gatewayOptions(data, clock, openLog('silent'), given);
    const gateway = await begin({ ...options, databaseServer: database.place });
    let isRunning = true;
    const stop = async (): Promise<void> => {
      if (isRunning) await gateway.close(AbortSignal.abort());
      isRunning = false;
    };
    onTestFinished(stop);
    const { port } = gateway.sftp;
    const knownHosts = join(data, `known_hosts-${port}`);
    writeFileSync(
      knownHosts,
      (await loadHostKeys(join(data, 'keys'))).map(({ publicLine }) => `[127.0.0.1]:${port} ${publicLine}\n`).join(''),
    );
    return {
      gateway,
      clock,
      door: { port, knownHosts },
      stop,
      async pass(seconds) {
        for (let left = seconds; left > 0; left--) {
          clock.advance(1_000);
          await calm();
        }
      },
    };
  }
  const one = await start();
  await one.gateway.giveUp('seller');
  const two = await start();
  return { ...homesOf(data), data, ledger, service, one, two };
}
