// All checks, in the order in which they are told. `check-config` tells what is wrong, `doctor` everything.
import { existsSync } from 'node:fs';
import { messageOf } from '#domain/error.ts';
import { prepareData } from '#installation/data-folder.ts';
import { refusalsIn } from '#installation/rights.ts';
import { systemClock } from '#runtime/clock.ts';
import { type Config, isAmong } from '#runtime/config/config.ts';
import { lockOf, tryLockFile } from '#runtime/files/lock.ts';
import { refusalOf } from '#runtime/files/rights.ts';
import { checkAlarmChannels, checkAlarmTargets } from './alarms.ts';
import { checkCertificates } from './certificates.ts';
import { type Check, type Finding, problem } from './finding.ts';
import { checkAccessPoint, checkData, checkHomes } from './folders.ts';
import { checkHostKeys } from './host-keys.ts';
import { checkKey, checkKeysOfAccounts, checkLedgers } from './ledgers.ts';
import { checkNames, checkService, checkSml } from './names.ts';
import { ALONE, lookAmongNodes } from './nodes.ts';
import { checkPorts } from './ports.ts';
import { checkQueue } from './queue.ts';

/** `of`: settings without which it cannot look. */
const CHECKS: readonly { readonly check: Check; readonly of: readonly string[] }[] = [
  { check: checkData, of: ['data'] },
  { check: checkHomes, of: ['role', 'data'] },
  { check: checkAccessPoint, of: ['role', 'node', 'core.network'] },
  { check: checkKey, of: ['role', 'data', 'database'] },
  { check: checkLedgers, of: ['role', 'data', 'database'] },
  { check: checkKeysOfAccounts, of: ['role', 'data', 'database'] },
  { check: checkHostKeys, of: ['role', 'data', 'sftp'] },
  { check: checkPorts, of: ['role', 'data', 'node'] },
  { check: checkCertificates, of: ['role'] },
  { check: checkNames, of: ['role', 'core.network'] },
  { check: checkSml, of: ['role', 'environment', 'core.network', 'outbound.dns'] },
  { check: checkService, of: ['role', 'service.url'] },
  { check: checkQueue, of: ['role', 'node', 'queue'] },
  { check: checkAlarmTargets, of: ['alarms', 'outbound'] },
  { check: checkAlarmChannels, of: ['data', 'node', 'alarms'] },
];

interface Checked {
  readonly isRunning: boolean;
  readonly findings: readonly Finding[];
}

/** Settings by which the database is asked for nodes. */
const AMONG_NODES = ['role', 'data', 'node', 'database'];

/** Whether a daemon, or a command that keeps one away, works on the data folder, as far as this user may see. */
function isLocked({ data, node }: Pick<Config, 'data' | 'node'>): boolean {
  const path = lockOf(data, node);
  if (!existsSync(path) || refusalOf(path) !== undefined) return false;
  const lock = tryLockFile(path);
  lock?.[Symbol.dispose]();
  return lock === null;
}

/** Looks at everything as the user of the daemon, whom root becomes; of a file with problems at what does not depend on what is wrong. */
export async function runChecks(config: Config, doubtful: readonly string[] = []): Promise<Checked> {
  const { data } = config;
  const isPlaced = !['data', 'node'].some((name) => isAmong(name, doubtful));
  try {
    if (isPlaced && existsSync(data)) prepareData(data);
  } catch (error) {
    return { isRunning: false, findings: [problem(messageOf(error), '')] };
  }
  const refusals = isPlaced ? refusalsIn(config) : [];
  // What is not this user's nobody can look into.
  const unknown = refusals.length > 0 ? [...doubtful, 'data'] : doubtful;
  const areKnown = (of: readonly string[]): boolean => of.every((name) => !isAmong(name, unknown));
  const among = areKnown(AMONG_NODES) ? await lookAmongNodes(config) : ALONE;
  const isRunning = isPlaced && isLocked(config) && !among.isElsewhere;
  const site = { config, isRunning, nowMs: systemClock.now(), doubtful, isFolderUnlike: among.isFolderUnlike };
  const findings = await Promise.all(
    CHECKS.filter(({ of }) => areKnown(of)).map(({ check }) =>
      check(site).catch((error: unknown) => [problem(`A check has failed: ${messageOf(error)}.`, '')]),
    ),
  );
  const refused = among.refusal === undefined ? refusals : [...refusals, among.refusal];
  return { isRunning, findings: [...refused.map((sentence) => problem(sentence, '')), ...findings.flat()] };
}
