// The ledgers of the data folder, opened by a command. A daemon may run beside it: SQLite takes several processes, and it notices within five seconds.
import { openCoreLedger, openCoreLedgerAlone } from '#core/ledger/open.ts';
import { readSealed as readSealedInCore } from '#core/ledger/sealed.ts';
import { incarnationId } from '#domain/id.ts';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import { readSealed } from '#gateway/ledger/sealed.ts';
import { refuseOthers } from '#gateway/spool/hands.ts';
import { coreLedgerPath, prepareData } from '#installation/data-folder.ts';
import { databaseServer } from '#installation/database-server.ts';
import { ensureKey, masterKeyPath } from '#installation/master-key.ts';
import { refuseForeignFiles } from '#installation/rights.ts';
import { callerName } from '#runtime/audit/caller.ts';
import { systemClock, systemRandom } from '#runtime/clock.ts';
import type { Config } from '#runtime/config/config.ts';
import { Lifecycle } from '#runtime/lifecycle.ts';
import { type Log, openLog } from '#runtime/log.ts';
import { openSeal, refuseForeign, type Seal } from '#runtime/seal.ts';
import type { Installation, Ledgers, Running } from './installation.ts';

/**
 * Opens what the role has, does the work, and closes it. Throws `usage` when the key file is not the one that the ledgers need, and where a node's folder
 * is not that of the others, unless it may be `any`.
 */
export async function withLedgers<Result>(
  config: Config,
  work: (ledgers: Ledgers, seal: Seal) => Promise<Result>,
  folder: 'shared' | 'any' = 'shared',
): Promise<Result> {
  prepareData(config.data);
  await ensureKey(config, folder);
  return withAnyKey(config, async (ledgers, seal) => {
    const { core, gateway } = ledgers;
    refuseForeign(seal, core ? await readSealedInCore(core.ledger.read) : []);
    refuseForeign(seal, gateway ? await readSealed(gateway.ledger.read) : []);
    return work(ledgers, seal);
  });
}

/** The same, as operations take it: without a daemon. */
export function withInstallation<Result>(
  config: Config,
  progress: Installation['progress'],
  work: (on: Installation) => Promise<Result>,
  folder?: 'any',
): Promise<Result> {
  // What a command has to say it prints; of the log only what somebody must look at.
  const log = openLog('error', process.stderr);
  return withLedgers(
    config,
    (ledgers, seal) => work({ ...ledgers, config, seal, log, caller: callerName(), running: null, progress }),
    folder,
  );
}

/**
 * The same, whatever the ledgers were sealed with, and with a new key file where none is. Throws `usage` for files that this user may not use, and `locked`
 * where it is to be `alone` and another dropgate works on one of them: then no key file was made.
 */
export async function withAnyKey<Result>(
  config: Config,
  work: (ledgers: Ledgers, seal: Seal) => Promise<Result>,
  beside: 'others' | 'alone' = 'others',
): Promise<Result> {
  const { role, data } = config;
  prepareData(data);
  refuseForeignFiles(config);
  const life = new Lifecycle();
  try {
    const core = await openCore(config, life, beside);
    const gateway = role === 'core' ? null : life.own(await openGatewayLedger(data, databaseServer(config)), (opened) => opened.close());
    if (gateway && beside === 'alone') await refuseOthers({ data, ledger: gateway });
    const seal = await openSeal(masterKeyPath(config), systemRandom);
    return await work({ core, gateway: gateway && { ledger: gateway, data, seal, clock: systemClock } }, seal);
  } finally {
    await life.stop();
  }
}

/** The core's side; null where the role has none. */
async function openCore(config: Config, life: Lifecycle, beside: 'others' | 'alone'): Promise<Ledgers['core']> {
  if (config.role === 'gateway') return null;
  const [path, server] = [coreLedgerPath(config.data), databaseServer(config)];
  const opening = beside === 'alone' ? openCoreLedgerAlone(path, server, incarnationId(systemRandom)) : openCoreLedger(path, server);
  const ledger = life.own(await opening, (opened) => opened.close());
  return { ledger, environment: config.environment, clock: systemClock, random: systemRandom };
}

/** What a running daemon's operations work on: its gateway's own ledger, and the core's opened beside the core's thread. */
export async function openBeside(
  config: Config,
  running: Running,
  log: Log,
  life: Lifecycle,
): Promise<Omit<Installation, 'progress' | 'caller'>> {
  if (!running.gateway) await ensureKey(config);
  const seal = running.gateway?.administration.seal ?? (await openSeal(masterKeyPath(config), systemRandom));
  return { config, seal, log, running, core: await openCore(config, life, 'others'), gateway: running.gateway?.administration ?? null };
}
