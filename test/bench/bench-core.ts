// A core for benches: in a thread of its own, on a ledger on disk, with an account that sends and one that receives.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CoreOptions } from '#core/core.ts';
import { openCoreLedger } from '#core/ledger/open.ts';
import type { Ledger } from '#core/ledger/schema.ts';
import { type AccountKeys, addAccount } from '#core/operate/administration.ts';
import { startCoreThread } from '#core/thread/thread.ts';
import { systemClock, systemRandom } from '#runtime/clock.ts';
import { LOCAL_NETWORK } from '../support/core.ts';
import { BUYER, SELLER } from '../support/documents.ts';

/** Requests a minute and account: out of the way. */
export const BUDGET = 1_000_000_000;

/** `seller` sends to `buyer`. */
export interface BenchCore extends AsyncDisposable {
  readonly url: string;
  readonly ledger: Ledger;
  readonly seller: AccountKeys;
  readonly buyer: AccountKeys;
}

export async function startBenchCore(network: CoreOptions['network'] = LOCAL_NETWORK): Promise<BenchCore> {
  const folder = mkdtempSync(join(tmpdir(), 'dropgate-bench-'));
  const databasePath = join(folder, 'core.db');
  const ledger = await openCoreLedger(databasePath);
  const administration = { ledger, environment: 'test', clock: systemClock, random: systemRandom } as const;
  const seller = await addAccount(administration, { accountRegNo: 'seller', name: 'Seller', participants: [SELLER] });
  const buyer = await addAccount(administration, { accountRegNo: 'buyer', name: 'Buyer', participants: [BUYER] });
  const core = await startCoreThread({
    listen: { host: '127.0.0.1', port: 0 },
    tls: null,
    behindProxy: false,
    bodyMax: 20 * 1024 * 1024,
    requests: BUDGET,
    window: 60_000,
    outbound: { allow: false, deny: false, ca: null, dns: false },
    keepMessages: null,
    webhooks: { keepDead: 30 * 24 * 60 * 60_000 },
    network,
    environment: 'test',
    databasePath,
    sealPath: join(folder, 'keys', 'secret.key'),
    logSettings: { level: 'error', form: 'json' },
    incoming: () => undefined,
    changed: () => undefined,
    turnedAway: () => undefined,
    failed: (error) => {
      throw error;
    },
  });
  return {
    url: core.url,
    ledger,
    seller,
    buyer,
    async [Symbol.asyncDispose]() {
      await core.close();
      await ledger.close();
      rmSync(folder, { recursive: true });
    },
  };
}
