// The world that the browser's tests and the pictures look at: a company and an accounting firm with its clients, a service that follows the
// specification, and the documents of a day: sent, refused with findings, held, received.
import { glnCheckDigit } from '#domain/participant.ts';
import { putAccount } from '#gateway/operate/accounts.ts';
import type { Administration } from '#gateway/operate/administration.ts';
import { addLogin, addLoginHome } from '#gateway/operate/logins.ts';
import { linkChild, putPartner } from '#gateway/operate/partners.ts';
import type { TestCore } from '../support/core.ts';
import { creditNote, documentOf, invoice } from '../support/documents.ts';
import { startPage, type TestPage } from '../support/page.ts';
import { connect, type Door, tryLogin } from '../support/sftp-clients.ts';
import { PASSWORD_HASH } from '../support/sftp-server.ts';
import { FAULTS } from '../support/stand-in/manners.ts';
import type { StandIn } from '../support/stand-in/stand-in.ts';
import { until } from '../support/until.ts';
import { standIn } from '../support/world/services.ts';
import { startWorld, type World } from '../support/world/world.ts';

export const COMPANY = 'northern-paper';
export const LOGIN = 'northern-erp';
export const FIRM = 'ledger-house';
export const CLIENT = 'birch-joinery';
const FIRM_LOGIN = 'ledger-house-erp';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const KEYS = { company: 'key-of-company', firm: 'key-of-firm' } as const;
const CLIENTS = [CLIENT, 'harbour-cafe', 'nilsson-print'] as const;

export interface Stage {
  readonly world: World<StandIn>;
  readonly page: TestPage;
  /** Ids of items. */
  readonly sent: string;
  readonly refused: string;
  readonly held: string;
}

export const gln = (at: number): string => `0088:73500000000${at}${glnCheckDigit(`73500000000${at}`)}`;
/** Those to whom the company sends. */
const buyer = (at: number): string => gln(1 + (at % 4));

/** `core`: whose ledger the page looks into, too. */
export async function startStage(core?: Pick<TestCore, 'databasePath'>): Promise<Stage> {
  const accounts = { [COMPANY]: KEYS.company, [FIRM]: { key: KEYS.firm, children: [...CLIENTS] } };
  const world = await startWorld(standIn({ accounts }), {
    accounts: {},
    before: makeParties,
    hinted: false,
    settings: { validate: 'local', archive: 30 * DAY_MS },
  });
  const page = await startPage(world, core);
  // Its day is closed when the others come.
  await drop(world, COMPANY, 'F-2108.xml', invoice({ id: 'F-2108', receiver: buyer(2) }));
  const held = await dropHeld(world);
  const refused = await dropAll(world);
  await receiveAll(world);
  await standAtTheDoor({ port: world.gateway().sftp.port, knownHosts: '' });
  const [sent] = await world.items({ states: ['accepted'] });
  return { world, page, held, refused, sent: sent?.item ?? '' };
}

async function makeParties(on: Administration): Promise<void> {
  await putAccount(on, COMPANY, KEYS.company);
  await addLogin(on, { login: LOGIN, passwordHash: PASSWORD_HASH, publicKeys: [] });
  await addLoginHome(on, LOGIN, COMPANY, '');
  await addLogin(on, { login: FIRM_LOGIN, passwordHash: PASSWORD_HASH, publicKeys: [] });
  await putPartner(on, { partnerRegNo: FIRM, serviceKey: KEYS.firm, consolidated: false, login: FIRM_LOGIN });
  for (const [at, accountRegNo] of CLIENTS.entries())
    await linkChild(on, { partnerRegNo: FIRM, accountRegNo, folder: accountRegNo, participants: [gln(5 + at)] });
}

/** What the service never answers is held after three days. */
async function dropHeld(world: World<StandIn>): Promise<string> {
  world.service.manners.fault = ({ method }) => (method === 'POST' ? FAULTS.down : undefined);
  const item = await world.drop(COMPANY, 'F-2109.xml', invoice({ id: 'F-2109', receiver: buyer(3) }));
  await world.inTime('it to be held', () => world.stages(COMPANY, 'F-2109.xml').includes('held'), 2 * HOUR_MS);
  world.service.manners.fault = () => undefined;
  await world.pass(12 * HOUR_MS, HOUR_MS);
  return item;
}

/** Returns the item that was refused. */
async function dropAll(world: World<StandIn>): Promise<string> {
  for (let at = 0; at < 9; at++) await drop(world, COMPANY, `F-${2110 + at}.xml`, invoice({ id: `F-${2110 + at}`, receiver: buyer(at) }));
  await drop(world, CLIENT, 'faktura_118.xml', invoice({ id: '118', sender: gln(5), receiver: buyer(1) }));
  await drop(world, 'harbour-cafe', 'kreditnota 7.xml', creditNote({ id: 'K-7', sender: gln(6), receiver: buyer(2) }));
  await drop(world, COMPANY, 'order-311.xml', documentOf('Order', { id: 'PO-311', receiver: buyer(2) }));
  await drop(world, 'nilsson-print', 'export.csv', 'number;amount\nF-1;100\n');
  const wrong = Buffer.from(invoice({ id: 'F-2119', receiver: buyer(0) }))
    .toString()
    .replace(/(<cbc:PayableAmount[^>]*>)[^<]*/, '$199.99')
    .replace(/(<cac:Country>\s*<cbc:IdentificationCode>)SE/, '$1SW');
  return drop(world, COMPANY, 'F-2119.xml', wrong);
}

async function drop(world: World<StandIn>, home: string, name: string, bytes: Uint8Array | string): Promise<string> {
  const item = await world.drop(home, name, bytes);
  await world.inTime(`a receipt of ${name}`, () => world.stages(home, name).length > 0);
  await world.pass(7 * 60_000);
  return item;
}

async function receiveAll(world: World<StandIn>): Promise<void> {
  for (const id of ['8841', '8842']) world.service.arrive(COMPANY, invoice({ id, sender: gln(8), receiver: '0088:7300010000001' }));
  await world.inTime('the outbox to have them', () => world.files(COMPANY, 'outbox').length === 2, 60_000);
}

/** One who is connected, and one who does not know the password. */
async function standAtTheDoor(door: Door): Promise<void> {
  await connect({ ...door, login: LOGIN });
  await until('the refusal', async () => (await tryLogin({ ...door, login: 'backup' }, { password: 'wrong' })) !== 'in');
}
