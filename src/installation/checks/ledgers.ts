// The ledgers: whether they can be reached, are of this version, and were sealed with the key file that is there. Nothing is made.
import { accessSync, constants } from 'node:fs';
import { openCoreLedger } from '#core/ledger/open.ts';
import { readSealed as readSealedInCore } from '#core/ledger/sealed.ts';
import { messageOf } from '#domain/error.ts';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import { readLost, readSealed } from '#gateway/ledger/sealed.ts';
import { setAnew } from '#gateway/operate/lost-keys.ts';
import { coreLedgerPath } from '#installation/data-folder.ts';
import { databaseServer } from '#installation/database-server.ts';
import { askGatewayLedger } from '#installation/gateway-ledger.ts';
import { isMade } from '#installation/ledger-places.ts';
import { lostKey, masterKeyPath } from '#installation/master-key.ts';
import { systemRandom } from '#runtime/clock.ts';
import type { Config } from '#runtime/config/config.ts';
import { refusalOf } from '#runtime/files/rights.ts';
import { openSeal, refuseForeign, type Sealed } from '#runtime/seal.ts';
import { type Check, type Finding, problem, type Site, warning, well } from './finding.ts';

interface LedgerOf {
  readonly name: string;
  readonly role: Config['role'];
  /** Whether it has been made. Throws what keeps it from being opened. */
  isMade(config: Config): Promise<boolean>;
  sealed(config: Config): Promise<readonly Sealed[]>;
}

/** What LoadCredential= of a unit hands over is there while the unit runs, and for its user alone. */
const CREDENTIAL = /^\/run\/(?:user\/\d+\/)?credentials\//;

const LEDGERS: readonly LedgerOf[] = [
  {
    name: "the core's ledger",
    role: 'core',
    isMade: (config) => isMade('core', config),
    async sealed(config) {
      const ledger = await openCoreLedger(coreLedgerPath(config.data), databaseServer(config));
      return readSealedInCore(ledger.read).finally(() => ledger.close());
    },
  },
  {
    name: "the gateway's ledger",
    role: 'gateway',
    isMade: (config) => isMade('gateway', config),
    async sealed(config) {
      const ledger = await openGatewayLedger(config.data, databaseServer(config));
      return readSealed(ledger.read).finally(() => ledger.close());
    },
  },
];

export const checkKeysOfAccounts: Check = async ({ config }) => {
  // A ledger that cannot be read is told of by the look at it.
  const [first, ...more] =
    config.role === 'core' ? [] : ((await askGatewayLedger(config, ({ read }) => readLost(read)).catch(() => undefined)) ?? []);
  if (!first) return [];
  const others = more.length > 0 ? ` and ${more.length} more` : '';
  const what = `${first.kind} ${first.id}${others}: lost with the key file, so nothing is sent or fetched for them.`;
  return [warning(what, `Set each anew, as by ${setAnew(first)}; dropgate status lists them.`)];
};

export const checkLedgers: Check = async (site) => {
  const { config } = site;
  const findings: Finding[] = [];
  for (const ledger of LEDGERS) {
    if (config.role === 'all' || config.role === ledger.role) findings.push(await check(ledger, site));
  }
  return findings;
};

async function check({ name, isMade: isThere, sealed }: LedgerOf, { config, isFolderUnlike }: Site): Promise<Finding> {
  try {
    if (!(await isThere(config))) return well(`There is room for ${name}: the first start makes it.`);
    const key = masterKeyPath(config);
    // The look at the key tells of one that is not there, or not for this user.
    if (isFolderUnlike || !mayRead(key)) return well(`${sentence(name)} can be read.`);
    refuseForeign(await openSeal(key, systemRandom), await sealed(config));
    return well(`${sentence(name)} can be read, and ${key} is its key.`);
  } catch (error) {
    return problem(`${sentence(name)}: ${messageOf(error)}`, '');
  }
}

/** Where no ledger is, the first start makes the key. */
export const checkKey: Check = async ({ config, isFolderUnlike }: Site) => {
  if (isFolderUnlike) return [];
  const key = masterKeyPath(config);
  // A server that does not answer is told of by the look at the ledgers.
  const missing = refusalOf(key, 'read') ?? (await lostKey(config).catch(() => undefined));
  if (missing === undefined) return [];
  return [
    CREDENTIAL.test(key)
      ? warning(missing, 'Where the unit hands it over (LoadCredential=), it is there only while that runs.')
      : problem(missing, ''),
  ];
};

function mayRead(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

function sentence(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
