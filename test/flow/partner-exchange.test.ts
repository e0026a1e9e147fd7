// A partner with three children, from its SFTP client to the core and back: gateway and core as one machine runs them, the partner's key in between.
import type ssh2 from 'ssh2';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { addAccount, addPartner, linkPartner, unlinkPartner } from '#core/operate/administration.ts';
import { linkChild, unlinkChild } from '#gateway/operate/partners.ts';
import { startTestCore, type TestCore } from '../support/core.ts';
import { invoice } from '../support/documents.ts';
import { called, connect, openSftp } from '../support/sftp-clients.ts';
import { until } from '../support/until.ts';
import { ADDRESSES, CHILDREN, ofPartner, PARTNER } from '../support/world/partner.ts';
import { given } from '../support/world/services.ts';
import { startWorld, type World } from '../support/world/world.ts';

const [, , THREE] = ADDRESSES;
/** The core of the tests has a seller and a buyer of its own. */
const ADDRESS_ONE = '0088:7300010000032';
const ADDRESS_TWO = '0088:7300010000025';

let core: TestCore;
let world: World;
let client: ssh2.Client;
let sftp: ssh2.SFTPWrapper;

beforeEach(async () => {
  core = await startTestCore();
});
afterEach(async () => {
  client.end();
  await world[Symbol.asyncDispose]();
  await core[Symbol.asyncDispose]();
});

async function start(consolidated: boolean): Promise<void> {
  const { administration } = core;
  const { apiKey } = await addPartner(administration, { partnerRegNo: PARTNER, name: 'Firm' });
  const addresses = [ADDRESS_ONE, ADDRESS_TWO, THREE];
  const children = CHILDREN.map((child, index) => ({ ...child, participants: [addresses[index] ?? ''] }));
  for (const { accountRegNo, participants } of children) {
    await addAccount(administration, { accountRegNo, name: accountRegNo, participants });
    await linkPartner(administration, PARTNER, accountRegNo);
  }
  world = await startWorld(given(core.core), { ...ofPartner({ key: apiKey, children, consolidated }), hinted: false });
  client = await connect({ port: world.gateway().sftp.port, knownHosts: '' });
  sftp = await openSftp(client);
}

const put = (path: string, content: Uint8Array): Promise<void> => called((done) => sftp.writeFile(path, Buffer.from(content), done));
const list = async (path: string): Promise<string[]> =>
  (await called<ssh2.FileEntryWithStats[]>((done) => sftp.readdir(path, done))).map(({ filename }) => filename).sort();
const get = (path: string): Promise<Buffer> => called((done) => sftp.readFile(path, done));

it('each child sends and receives in its own folder', async () => {
  await start(false);
  expect(await list('/')).toEqual(['one-ab', 'three-ab', 'two-ab']);
  const bytes = invoice({ id: 'A-1', sender: ADDRESS_ONE, receiver: ADDRESS_TWO });
  await put('/one-ab/inbox/a.xml', bytes);
  await put('/two-ab/inbox/b.xml', invoice({ id: 'B-1', sender: ADDRESS_TWO, receiver: THREE }));
  await put('/three-ab/inbox/c.xml', invoice({ id: 'C-1', sender: ADDRESS_ONE, receiver: ADDRESS_TWO }));
  await world.inTime('the receipts', async () => {
    const receipts = await Promise.all(['one-ab', 'two-ab', 'three-ab'].map((folder) => list(`/${folder}/receipts`)));
    return receipts.every((names) => names.length > 0);
  });
  expect((await list('/one-ab/receipts'))[0]).toMatch(/^a\.xml\..*\.accepted\.json$/);
  const refused = JSON.parse((await get(`/three-ab/receipts/${(await list('/three-ab/receipts'))[0]}`)).toString());
  expect(refused).toMatchObject({ stage: 'refused', accountRegNo: 'child-3' });
  expect(refused.message).toContain('is the address of child-1 (folder one-ab)');

  const received = await world.inTime('the document', async () => (await list('/two-ab/outbox'))[0]);
  expect(await get(`/two-ab/outbox/${received}`)).toEqual(Buffer.from(bytes));
  await called((done) => sftp.rename(`/two-ab/outbox/${received}`, `/two-ab/outbox/${received}.downloading`, done));
  await called((done) => sftp.unlink(`/two-ab/outbox/${received}.downloading`, done));
  expect(await list('/two-ab/outbox')).toEqual([]);
  expect(await list('/one-ab/outbox')).toEqual([]);
});

it('a child is linked, and unlinked, while the session is open', async () => {
  await start(false);
  await addAccount(core.administration, { accountRegNo: 'child-4', name: 'Four', participants: ['0088:7350000000023'] });
  await linkPartner(core.administration, PARTNER, 'child-4');
  await world.administer((on) => linkChild(on, { partnerRegNo: PARTNER, accountRegNo: 'child-4', folder: 'four-ab' }));
  await world.inTime('its folder', async () => (await list('/')).includes('four-ab'));
  await put('/four-ab/inbox/d.xml', invoice({ id: 'D-1', sender: '0088:7350000000023', receiver: ADDRESS_ONE }));
  await world.inTime('its receipt', async () => (await list('/four-ab/receipts')).length > 0);

  await unlinkPartner(core.administration, PARTNER, 'child-1');
  await world.administer((on) => unlinkChild(on, PARTNER, 'child-1', 'erp'));
  await world.inTime('its folder to go', async () => !(await list('/')).includes('one-ab'));
  await expect(put('/one-ab/inbox/e.xml', invoice())).rejects.toThrow();
  await put('/two-ab/inbox/f.xml', invoice({ id: 'F-1', sender: ADDRESS_TWO, receiver: THREE }));
  await world.inTime('the others to go on', async () => (await list('/two-ab/receipts')).length > 0);
});

it('a link that the core ends holds what is dropped from then on, and what waited', async () => {
  await start(false);
  await put('/one-ab/inbox/a.xml', invoice({ id: 'A-1', sender: ADDRESS_ONE, receiver: ADDRESS_TWO }));
  await world.inTime('the receipt', async () => (await list('/one-ab/receipts')).length === 1);
  await unlinkPartner(core.administration, PARTNER, 'child-1');
  await put('/one-ab/inbox/b.xml', invoice({ id: 'A-2', sender: ADDRESS_ONE, receiver: ADDRESS_TWO }));
  await world.inTime('the receipt', async () => (await list('/one-ab/receipts')).some((name) => /^b\.xml\..*\.held\.json$/.test(name)));
  await put('/two-ab/inbox/c.xml', invoice({ id: 'C-1', sender: ADDRESS_TWO, receiver: THREE }));
  await world.inTime('the others to go on', async () => (await list('/two-ab/receipts')).some((name) => name.includes('.accepted.')));
});

it('one home for all: one inbox, one outbox', async () => {
  await start(true);
  expect(await list('/')).toEqual(['accepted', 'inbox', 'outbox', 'receipts', 'refused']);
  await put('/inbox/a.xml', invoice({ id: 'A-1', sender: ADDRESS_ONE, receiver: ADDRESS_TWO }));
  await put('/inbox/b.xml', invoice({ id: 'B-1', sender: ADDRESS_TWO, receiver: ADDRESS_ONE }));
  const received = await world.inTime('both documents', async () => {
    const names = await list('/outbox');
    return names.length === 2 && names;
  });
  expect(received).toEqual([expect.stringMatching(/^child-1_.*_B-1_/), expect.stringMatching(/^child-2_.*_A-1_/)]);
  expect((await list('/receipts')).filter((name) => name.includes('.accepted.'))).toHaveLength(2);
  await until('the originals', async () => (await list('/accepted')).length === 2);
});
