// One question to the gateway's ledger, from beside the daemon.
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import type { Config } from '#runtime/config/config.ts';
import { databaseServer } from './database-server.ts';
import { isMade } from './ledger-places.ts';

/** Undefined where there is no ledger yet: none is made. Throws what keeps it from being opened. */
export async function askGatewayLedger<Answer>(
  config: Pick<Config, 'data' | 'database'>,
  ask: (ledger: Ledger) => Promise<Answer>,
): Promise<Answer | undefined> {
  if (!(await isMade('gateway', config))) return undefined;
  const ledger = await openGatewayLedger(config.data, databaseServer(config));
  return ask(ledger).finally(() => ledger.close());
}
