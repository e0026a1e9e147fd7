// Gateways in this process that share the homes of one database and one data folder as nodes, by their names. They end with the test.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { QueueServer } from '#engines/open.ts';
import { sealPath } from '#gateway/disk/paths.ts';
import { startGateway } from '#gateway/gateway.ts';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import { putAccount } from '#gateway/operate/accounts.ts';
import type { Administration } from '#gateway/operate/administration.ts';
import type { Gateway } from '#gateway/options.ts';
import { systemRandom } from '#runtime/clock.ts';
import { forEachLimit } from '#runtime/concurrency.ts';
import { openLog } from '#runtime/log.ts';
import { openSeal } from '#runtime/seal.ts';
import { type ManualClock, manualClock } from '../clock.ts';
import { newPostgresDatabase } from '../postgres.ts';
import { type Script, type ScriptedService, startScriptedService } from '../scripted-service.ts';
import { type GivenSettings, gatewayOptions } from './gateway-settings.ts';

/** None ends unless a test wants it, and none gives a home up for another unless it says so. */
export const NAMED_LEASE_MS = 100 * 86_400_000;

const ADDED_AT_ONCE = 32;

export interface NamedNode {
  readonly gateway: Gateway;
  readonly clock: ManualClock;
  /** Lines of its log. */
  readonly facts: () => { readonly event?: unknown; readonly home?: unknown }[];
  /** As after SIGTERM. */
  stop(): Promise<void>;
}

export interface StartedHow {
  /** So long the nodes are the same before it gives a home up for another. */
  readonly calmMs?: number;
  /** For a test that moves it while the node starts. */
  readonly clock?: ManualClock;
  /** By which others ring for it. */
  readonly queueServer?: QueueServer;
  readonly start?: typeof startGateway;
  /** Where it has mounted something else than the others. */
  readonly mounted?: string;
}

export interface NamedNodes {
  readonly data: string;
  readonly ledger: Ledger;
  readonly service: ScriptedService;
  start(name: string, settings?: Partial<GivenSettings>, how?: StartedHow): Promise<NamedNode>;
  add(home: string): Promise<unknown>;
  readonly administration: Administration;
}

export async function openNamedNodes(homes: readonly string[], script: Script): Promise<NamedNodes> {
  const database = await newPostgresDatabase();
  onTestFinished(() => database[Symbol.asyncDispose]());
  const data = mkdtempSync(join(tmpdir(), 'dropgate-nodes-'));
  onTestFinished(() => rmSync(data, { recursive: true, force: true }));
  const service = await startScriptedService(script);
  onTestFinished(() => service[Symbol.asyncDispose]());
  const ledger = await openGatewayLedger(data, database.place);
  onTestFinished(() => ledger.close());
  const on = { data, ledger, seal: await openSeal(sealPath(data), systemRandom), clock: manualClock() };
  await forEachLimit(homes, ADDED_AT_ONCE, (home) => putAccount(on, home, `key-${home}`));
  return {
    data,
    ledger,
    service,
    add: (home) => putAccount(on, home, `key-${home}`),
    administration: on,
    async start(name, settings, how = {}) {
      const { calmMs = NAMED_LEASE_MS, clock = manualClock(), queueServer, start = startGateway, mounted = data } = how;
      const lines: string[] = [];
      const log = openLog('info', { write: (line) => void lines.push(line) });
      const gateway = await start({
        ...gatewayOptions(mounted, clock, log, { url: service.url, ...settings }),
        sealPath: sealPath(data),
        databaseServer: database.place,
        ...(queueServer && { queueServer }),
        node: { name, leaseMs: NAMED_LEASE_MS, calmMs, lost: () => undefined },
      });
      let isRunning = true;
      const stop = async (): Promise<void> => {
        if (isRunning) await gateway.close(AbortSignal.abort());
        isRunning = false;
      };
      onTestFinished(stop);
      return { gateway, clock, stop, facts: () => lines.map((line) => JSON.parse(line)) };
    },
  };
}
