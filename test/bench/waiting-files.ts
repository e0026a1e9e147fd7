// Files that wait in the spool when the gateway starts: how long it takes, and what becomes of them when its ledger is gone.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { openCoreLedger } from '#core/ledger/open.ts';
import { itemIds } from '#domain/id.ts';
import { spoolFolder } from '#gateway/disk/paths.ts';
import { spoolName } from '#gateway/disk/spool-files.ts';
import { systemClock, systemRandom } from '#runtime/clock.ts';
import { startDaemon, type TestDaemon } from '../support/daemon.ts';
import { invoice } from '../support/documents.ts';
import { until } from '../support/until.ts';
import { ledgerFile, removeLedger } from '../support/world/ledger-files.ts';
import { countSent } from '../support/world/ledger-rows.ts';
import { participantOfBuyer, sellerAndBuyers } from './parties.ts';
import { cpuSeconds, memoryMib } from './process-cost.ts';

const BUYERS = 20;
const DONE_WITHIN_MS = 900_000;
const CONFIG = { core: { listen: '127.0.0.1:0', requests: 10_000_000 } };

export interface Start {
  readonly count: number;
  readonly without: Started;
  readonly withRows: Started;
  readonly mib: number;
}

/** What a start took until the daemon was ready. */
export interface Started {
  readonly ms: number;
  readonly cpuSeconds: number;
}

/** The first start finds files and no rows, the second one finds both. */
export async function measureStart(count: number): Promise<Start> {
  await using daemon = await startDaemon({ accounts: sellerAndBuyers(1), config: CONFIG });
  await daemon.stop();
  writeFileSync(
    daemon.configFile,
    stringify({
      role: 'gateway',
      data: daemon.data,
      service: { url: 'http://127.0.0.1:9' },
      sftp: { listen: '127.0.0.1:0' },
      admin: { listen: 'off' },
    }),
  );
  fillSpool(daemon, count);
  const without = await timedStart(daemon);
  await daemon.kill();
  const withRows = await timedStart(daemon);
  return { count, without, withRows, mib: memoryMib(daemon.pid) };
}

export interface LostLedger {
  /** Taken by the service before the ledger went. */
  readonly accepted: number;
  readonly lost: number;
  readonly twice: number;
  readonly seconds: number;
}

export async function measureLostLedger(count: number): Promise<LostLedger> {
  await using daemon = await startDaemon({ accounts: sellerAndBuyers(BUYERS), config: CONFIG });
  await daemon.stop();
  fillSpool(daemon, count);
  await daemon.start();
  await until('a quarter to be sent', async () => (await sent(daemon)).documents >= count / 4, DONE_WITHIN_MS);
  await daemon.kill();
  const accepted = (await sent(daemon)).documents;
  removeLedger(daemon.data);
  const startMs = performance.now();
  const { status, err } = await daemon.cli(['apply', join(daemon.folder, 'accounts.yaml')]);
  if (status !== 0) throw new Error(`the accounts could not be declared again: ${err}`);
  await daemon.start();
  await until('the spool to be empty', () => daemon.spooled().filter((name) => name.includes('~')).length === 0, DONE_WITHIN_MS);
  const { documents, messages } = await sent(daemon);
  const seconds = (performance.now() - startMs) / 1_000;
  return { accepted, lost: count - documents, twice: messages - documents, seconds };
}

/** As if a gateway had taken them and its ledger had been lost. */
function fillSpool({ data }: TestDaemon, count: number): void {
  const newId = itemIds(systemClock.now, systemRandom);
  const folder = spoolFolder(data, 'seller');
  for (let at = 0; at < count; at++) {
    const name = `invoice-${at}.xml`;
    const bytes = invoice({ id: `W-${at}`, receiver: participantOfBuyer(at % BUYERS) });
    writeFileSync(join(folder, spoolName({ item: newId(), mode: 'send', name })), bytes);
  }
}

/** By the time in its log: to read that a hundred thousand files were adopted takes whoever waits a second. */
export async function timedStart(daemon: TestDaemon): Promise<Started> {
  const beganAt = Date.now();
  await daemon.start();
  const cpu = cpuSeconds(daemon.pid);
  const ready = daemon.facts().findLast(({ event }) => event === 'daemon.ready');
  return { ms: Date.parse(String(ready?.time)) - beganAt, cpuSeconds: cpu };
}

/** What the service has of the seller: different documents, and messages in all their versions. */
async function sent({ data }: TestDaemon): Promise<{ documents: number; messages: number }> {
  const ledger = await openCoreLedger(ledgerFile(data, 'core'));
  try {
    return await countSent(ledger);
  } finally {
    await ledger.close();
  }
}
