// All checks, in the order in which they are told. `check-config` tells what is wrong, `doctor` everything.
import { existsSync } from 'node:fs';
import { prepareData } from '#installation/data-folder.ts';
import { systemClock } from '#runtime/clock.ts';
import type { Config } from '#runtime/config/config.ts';
import { lockOf, tryLockFile } from '#runtime/files/lock.ts';
import { checkAlarmTargets } from './alarms.ts';
import { checkCertificates } from './certificates.ts';
import { type Check, type Finding, problem, reasonOf } from './finding.ts';
import { checkAccessPoint, checkData, checkHomes } from './folders.ts';
import { checkKey, checkLedgers } from './ledgers.ts';
import { checkNames, checkService, checkSml } from './names.ts';
import { checkPorts } from './ports.ts';
import { checkQueue } from './queue.ts';

const CHECKS: readonly Check[] = [
  checkData,
  checkHomes,
  checkAccessPoint,
  checkKey,
  checkLedgers,
  checkPorts,
  checkCertificates,
  checkNames,
  checkSml,
  checkService,
  checkQueue,
  checkAlarmTargets,
];

/** Whether a daemon, or a command that keeps one away, works on the data folder. */
export function isRunning({ data, node }: Pick<Config, 'data' | 'node'>): boolean {
  const path = lockOf(data, node);
  if (!existsSync(path)) return false;
  const lock = tryLockFile(path);
  lock?.[Symbol.dispose]();
  return lock === null;
}

/** Looks at everything as the user of the daemon, whom root becomes. */
export async function runChecks(config: Config): Promise<Finding[]> {
  const { data } = config;
  try {
    if (existsSync(data)) prepareData(data);
  } catch (error) {
    return [problem(reasonOf(error), '')];
  }
  const site = { config, isRunning: isRunning(config), nowMs: systemClock.now() };
  const findings = await Promise.all(
    CHECKS.map((check) => check(site).catch((error: unknown) => [problem(`A check has failed: ${reasonOf(error)}.`, '')])),
  );
  return findings.flat();
}
