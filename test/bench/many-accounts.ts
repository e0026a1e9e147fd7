// Thousands of accounts with homes, made beside a daemon that is not running: what `dropgate account add` does for each, in one process.
import { join } from 'node:path';
import { openCoreLedger } from '#core/ledger/open.ts';
import { addAccount } from '#core/operate/administration.ts';
import type { PostgresPlace } from '#engines/postgres/place.ts';
import { sealPath } from '#gateway/disk/paths.ts';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import { putAccount } from '#gateway/operate/accounts.ts';
import { systemClock, systemRandom } from '#runtime/clock.ts';
import { openSeal } from '#runtime/seal.ts';
import type { TestDaemon } from '../support/daemon.ts';

/** Accounts whose rows share commits. */
const TOGETHER = 64;

export function addAccounts({ data }: TestDaemon, count: number): Promise<void> {
  return addAccountsTo({ data }, count);
}

interface Where {
  /** With the homes. */
  readonly data: string;
  /** Where the ledgers are that are no files. */
  readonly inCore?: PostgresPlace;
  readonly inGateway?: PostgresPlace;
}

export async function addAccountsTo({ data, ...servers }: Where, count: number): Promise<void> {
  const [core, gateway] = [await openCoreLedger(join(data, 'core.db'), servers.inCore), await openGatewayLedger(data, servers.inGateway)];
  const [clock, random] = [systemClock, systemRandom];
  const [inCore, inGateway] = [
    { ledger: core, environment: 'test', clock, random } as const,
    { ledger: gateway, data, seal: await openSeal(sealPath(data), random), clock },
  ];
  const add = async (at: number): Promise<void> => {
    const accountRegNo = `many-${at}`;
    const { gatewayKey } = await addAccount(inCore, { accountRegNo, name: accountRegNo, participants: [] });
    await putAccount(inGateway, accountRegNo, gatewayKey);
  };
  for (let at = 0; at < count; at += TOGETHER) {
    await Promise.all(Array.from({ length: Math.min(TOGETHER, count - at) }, (_, each) => add(at + each)));
  }
  await core.close();
  await gateway.close();
}
