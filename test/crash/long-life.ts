// Weeks of a gateway with its core, on a clock that is moved by hand: documents come and end, days of the archive are closed and go, and what has ended
// leaves both ledgers, but for what is owed, unread or waits.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openCoreLedger } from '#core/ledger/open.ts';
import { addAccount } from '#core/operate/administration.ts';
import type { DatabaseServer } from '#engines/open.ts';
import { archiveFolder, daysOf, filesOf, MANIFEST } from '#gateway/archive/places.ts';
import { verifyArchive } from '#gateway/archive/verify.ts';
import { sealPath } from '#gateway/disk/paths.ts';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import { changeReceiving } from '#gateway/operate/account-rules.ts';
import { putAccount } from '#gateway/operate/accounts.ts';
import { systemRandom } from '#runtime/clock.ts';
import { openSeal } from '#runtime/seal.ts';
import { calm } from '../support/calm.ts';
import type { ManualClock } from '../support/clock.ts';
import { request } from '../support/core.ts';
import { BUYER, invoice, SELLER } from '../support/documents.ts';
import { type Survivor, type SurvivorOptions, startSurvivor } from '../support/faults/survivor.ts';
import { until } from '../support/until.ts';
import { homesOf } from '../support/world/homes.ts';
import { dumpTable } from '../support/world/ledger-rows.ts';
import { wrong } from './steps.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const KEPT_MS = 5 * DAY_MS;
const ARCHIVED_MS = 15 * DAY_MS;
/** The days that are there go by it, too. */
const SHORTER_MS = 10 * DAY_MS;
const SETTINGS = { keepItems: KEPT_MS, keepAccepted: DAY_MS, keepReceipts: DAY_MS };

export type Picture = Readonly<Record<string, readonly string[]>>;

/** Where it all is, and at what time. */
export interface Place {
  readonly data: string;
  /** Of the ledgers; null where they are in the folder. */
  readonly server: DatabaseServer | null;
  readonly clock: ManualClock;
}

/** Gateway and core in this place. */
export function startLife(
  { data, server, clock }: Place,
  {
    apiKey = () => '',
    ...others
  }: Partial<Pick<Survivor, 'apiKey'>> & Pick<SurvivorOptions, 'startGateway' | 'settings' | 'keepMessages'> = {},
): Promise<Survivor> {
  const settings = { clock, server, settings: SETTINGS, keepMessages: KEPT_MS, taken: new Map(), patienceMs: 60_000 };
  return startSurvivor(data, apiKey, { ...settings, ...others });
}

/** Time passes in which all is done whose time has come. */
export async function settle(clock: ManualClock): Promise<void> {
  for (let rounds = 0; rounds < 2; rounds++) {
    for (let steps = 0; steps < 25; steps++) {
      clock.advance(100);
      await calm();
    }
    clock.advance(6 * HOUR_MS);
  }
  await calm();
}

/** Resolves when it has ended with this stage. */
export async function dropped(
  life: Survivor,
  clock: ManualClock,
  name: string,
  bytes: Uint8Array,
  stage: string,
  home = 'seller',
): Promise<void> {
  await putIn(life, home, name, bytes);
  await until(`${name} to be ${stage}`, async () => {
    clock.advance(1_000);
    await calm();
    return life.stages(home, name).includes(stage);
  });
}

export async function putIn({ intake }: Survivor, home: string, name: string, bytes: Uint8Array): Promise<void> {
  const { upload, path } = await intake.open({ home, folder: 'inbox', name, login: 'erp', session: 'session-1', resume: false });
  writeFileSync(path, bytes);
  await intake.commit(upload, { size: bytes.length, sha256: null });
}

export const FIRST = Buffer.from(invoice({ id: 'FIRST' }));

/** A stretch of time in which nobody does anything. */
export interface Stretch {
  readonly name: string;
  readonly endMs: number;
  /** How all is in the end. */
  readonly picture: Picture;
}

export const STRETCHES = [
  'a day of the archive is closed',
  'what has ended leaves the ledgers',
  'days of the archive go',
  'the archive is switched off',
] as const;

/** Lives it all in an empty folder; `mark` hears when a stretch begins and ends. */
export async function liveLong(place: Place, mark: (text: string) => void): Promise<Stretch[]> {
  const { clock } = place;
  const keys = await people(place);
  await using life = await startLife(place, { apiKey: (account) => keys[account] ?? '' });
  const stretches: Stretch[] = [];
  const pass = async (days: number): Promise<void> => {
    const name = STRETCHES[stretches.length] ?? '';
    mark(name);
    for (let day = 0; day < days; day++) {
      clock.advance(DAY_MS);
      await settle(clock);
    }
    mark(`${name}: done`);
    stretches.push({ name, endMs: clock.now(), picture: await pictureOf(place) });
  };
  await putIn(life, 'stuck', 'stuck.xml', Buffer.from(invoice({ id: 'STUCK' })));
  await dropped(life, clock, 'first.xml', FIRST, 'delivered');
  await dropped(life, clock, 'refused.xml', wrong('REFUSED'), 'refused');
  const [buyer, list] = [{ key: keys.buyer ?? '' }, `${life.coreUrl}/transaction/buyer/invoices`];
  await request(`${list}/incoming/readinvoices?limit=100`, buyer);
  await dropped(life, clock, 'unread.xml', Buffer.from(invoice({ id: 'UNREAD' })), 'delivered');
  const received = async (id: string): Promise<void> => {
    await request(`${list}/outgoing`, { ...buyer, body: invoice({ id, sender: BUYER, receiver: SELLER }) });
    await until('it to be received', async () => {
      clock.advance(1_000);
      await calm();
      return life.files('seller', 'outbox').length === 1;
    });
  };
  await received('FETCHED');
  life.clear('seller', 'outbox');
  await received('LEFT');
  await pass(1);
  await dropped(life, clock, 'second.xml', Buffer.from(invoice({ id: 'SECOND' })), 'delivered');
  await pass(7);
  await dropped(life, clock, 'third.xml', Buffer.from(invoice({ id: 'THIRD' })), 'delivered');
  await archiveFor(place, SHORTER_MS);
  await pass(6);
  await archiveFor(place, 0);
  await pass(2);
  return stretches;
}

/** API keys by account: a seller with an archive, whose outbox keeps what nobody fetches for a day, a buyer without a home, and an account whose key the core does not take. */
async function people(place: Place): Promise<Readonly<Record<string, string>>> {
  const { data, clock } = place;
  const seal = await openSeal(sealPath(data), systemRandom);
  const [core, ledger] = await openLedgers(place);
  const on = { ledger: core, environment: 'test', clock, random: systemRandom } as const;
  const seller = await addAccount(on, { accountRegNo: 'seller', name: 'Seller', participants: [SELLER] });
  const buyer = await addAccount(on, { accountRegNo: 'buyer', name: 'Buyer', participants: [BUYER] });
  await putAccount({ data, ledger, seal, clock }, 'seller', seller.apiKey, { archive: ARCHIVED_MS, keepOutbox: DAY_MS });
  await putAccount({ data, ledger, seal, clock }, 'stuck', 'a key that nobody has given');
  for (const each of [core, ledger]) await each.close();
  return { seller: seller.apiKey, buyer: buyer.apiKey };
}

/** As a command beside it does. */
async function archiveFor(place: Place, ms: number): Promise<void> {
  const { data, clock } = place;
  const [core, ledger] = await openLedgers(place);
  const seal = await openSeal(sealPath(data), systemRandom);
  await changeReceiving({ data, ledger, seal, clock }, 'seller', { archive: ms });
  for (const each of [core, ledger]) await each.close();
}

export async function openLedgers({ data, server }: Pick<Place, 'data' | 'server'>) {
  return [await openCoreLedger(join(data, 'core.db'), server), await openGatewayLedger(data, server)] as const;
}

/** What of the tables tells whether anything is missing, too much, or half. */
const COLUMNS = {
  gateway: {
    items: ['item', 'state'],
    publications: ['folder', 'subject', 'stage'],
    deliveries: ['item', 'status'],
    documents: ['integration_id', 'version', 'state'],
    sent_before: ['document', 'item', 'sha256'],
    fetches: ['action', 'name', 'times'],
  },
  core: {
    messages: ['integration_id', 'direction', 'position', 'status'],
    message_contents: ['sequence', 'version', 'sha256'],
    transmissions: ['sequence', 'version'],
    taken: ['document', 'integration_id', 'version', 'sha256'],
  },
} as const;

export async function pictureOf(place: Place): Promise<Picture> {
  const { data } = place;
  const [core, gateway] = await openLedgers(place);
  try {
    const picture: Record<string, readonly string[]> = { archive: await archiveOf(data), spool: homesOf(data).spooled() };
    for (const [ledger, tables] of [[{ core }, COLUMNS.core] as const, [{ gateway }, COLUMNS.gateway] as const]) {
      for (const [table, columns] of Object.entries(tables)) {
        // When one that waits is told so depends on when anybody looks.
        const rows = (await dumpTable(ledger, table)).filter((row) => table !== 'publications' || row.account_reg_no !== 'stuck');
        picture[table] = rows.map((row) => columns.map((column: string) => `${row[column]}`).join(' ')).sort();
      }
    }
    return picture;
  } finally {
    for (const each of [core, gateway]) await each.close();
  }
}

async function archiveOf(data: string): Promise<string[]> {
  const files: string[] = [];
  for (const day of await daysOf(data, 'seller')) {
    const folder = join(archiveFolder(data, 'seller'), day);
    const manifest = join(folder, MANIFEST);
    files.push(...(await filesOf(folder)), existsSync(manifest) ? readFileSync(manifest, 'utf8') : `${day} is open`);
  }
  const { days, differences } = await verifyArchive(data, 'seller');
  return [...files, `${days} days are closed`, ...differences.map(({ day, file, problem }) => `${day} ${file} ${problem}`)];
}
