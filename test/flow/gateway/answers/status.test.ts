// The folder `status`: what became of what was dropped, by document number and of today, for those who see the home and for nobody else.
import type ssh2 from 'ssh2';
import { expect, it, onTestFinished } from 'vitest';
import type { LoginRules } from '#gateway/model/login-rules.ts';
import { addLogin, addLoginHome } from '#gateway/operate/logins.ts';
import { invoice } from '../../../support/documents.ts';
import { refusal, type ScriptedService } from '../../../support/scripted-service.ts';
import { called, connect, openSftp } from '../../../support/sftp-clients.ts';
import { PASSWORD_HASH } from '../../../support/sftp-server.ts';
import { scripted } from '../../../support/world/services.ts';
import { startWorld, type World } from '../../../support/world/world.ts';

const [HOME, OTHER] = ['acme-ab', 'beta-ab'];
const BYTES = 2_048;
const DAY_MS = 86_400_000;

interface Client {
  list(folder?: string): Promise<string[]>;
  get(name: string): Promise<string>;
  size(name: string): Promise<number>;
}

async function enter(world: World, login: string): Promise<Client> {
  const client = await connect({ port: world.gateway().sftp.port, knownHosts: '', login });
  onTestFinished(() => void client.end());
  const sftp = await openSftp(client);
  const entries = (folder: string): Promise<ssh2.FileEntryWithStats[]> => called((done) => sftp.readdir(folder, done));
  return {
    list: async (folder = '/status') => (await entries(folder)).map(({ filename }) => filename).sort(),
    get: async (name) => (await called<Buffer>((done) => sftp.readFile(`/status/${name}`, done))).toString(),
    size: async (name) => (await entries('/status')).find(({ filename }) => filename === name)?.attrs.size ?? -1,
  };
}

/** Two homes, each with a login that sees its status. */
async function start(rules: LoginRules = { answers: ['status'] }): Promise<World<ScriptedService>> {
  const world = await startWorld(scripted(), {
    accounts: { [HOME]: 'key', [OTHER]: 'key-2' },
    before: async (on) => {
      await addLogin(on, { login: 'erp', passwordHash: PASSWORD_HASH, publicKeys: [], rules });
      await addLogin(on, { login: 'beta', passwordHash: PASSWORD_HASH, publicKeys: [], rules });
    },
  });
  await world.administer(async (on) => {
    await addLoginHome(on, 'erp', HOME, '');
    await addLoginHome(on, 'beta', OTHER, '');
  });
  await world.restart();
  return world;
}

it('tells of each document number what became of it, and what to do', async () => {
  const world = await start();
  await world.drop(HOME, 'right.xml', invoice({ id: 'F-1' }));
  await world.receipt(HOME, 'right.xml', 'accepted');
  world.service.script = ({ method }) => (method === 'POST' ? refusal(422, 'E_VALIDATION') : { status: 204 });
  await world.drop(HOME, 'wrong.xml', invoice({ id: 'F-2' }));
  await world.receipt(HOME, 'wrong.xml', 'refused');
  const { list, get, size } = await enter(world, 'erp');
  expect(await list()).toEqual(['F-1.txt', 'F-2.txt', 'today.csv']);
  const text = await world.inTime('its receipt to be noted', async () => {
    const read = await get('F-1.txt');
    return read.includes('receipt accepted') ? read : null;
  });
  expect(
    text
      .trimEnd()
      .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, 'TIME')
      .replaceAll(/[0-9a-z]{8}(?=\.(?:accepted|xml))/g, 'ITEM'),
  ).toBe(
    `Invoice F-1 for 0088:7350000000016
dropped as right.xml, ${invoice({ id: 'F-1' }).length} bytes

accepted: Invoice F-1 was taken by the service.
What to do: Nothing: the document is delivered or under way.

TIME UTC  in custody: by erp
TIME UTC  attempt 1: accepted
TIME UTC  accepted: Invoice F-1 was taken by the service.
TIME UTC  receipt accepted
receipts/right.xml.ITEM.accepted.json
accepted/right.ITEM.xml`,
  );
  expect([Buffer.byteLength(text), await size('F-1.txt')]).toEqual([BYTES, BYTES]);
  expect(await get('F-2.txt')).toMatch(/refused: The service refused the document: .*\nWhat to do: Repair the document/);
});

it('tells also of a document that broke off behind its number', async () => {
  const world = await start();
  const whole = invoice({ id: 'F-3' });
  await world.drop(HOME, 'cut.xml', whole.subarray(0, whole.length / 2));
  await world.receipt(HOME, 'cut.xml', 'refused');
  const { list, get } = await enter(world, 'erp');
  expect(await list()).toEqual(['F-3.txt', 'today.csv']);
  expect(await get('F-3.txt')).toMatch(/^Invoice F-3\ndropped as cut.xml/);
  expect(await get('today.csv')).toContain('F-3');
});

it('has all files of one number in one, the newest first, and spells numbers that no file can be called', async () => {
  const world = await start();
  for (const [at, id] of ['A/1', '..', 'con', '50%', 'å 1'].entries()) await world.drop(HOME, `${at}.xml`, invoice({ id }));
  await world.passUntilDone(DAY_MS);
  await world.drop(HOME, 'again.xml', invoice({ id: 'A/1', note: 'changed' }));
  await world.passUntilDone(DAY_MS);
  const { list, get, size } = await enter(world, 'erp');
  expect(await list()).toEqual(['%2E..txt', '%63on.txt', '50%25.txt', 'A%2F1.txt', 'today.csv', 'å 1.txt']);
  const both = await get('A%2F1.txt');
  expect(both.match(/dropped as [^,]+/g)).toEqual(['dropped as again.xml', 'dropped as 0.xml']);
  expect([Buffer.byteLength(both), await size('A%2F1.txt')]).toEqual([2 * BYTES, 2 * BYTES]);
  expect(await get('%2E..txt')).toContain('Invoice ..');
  await expect(get('A%2f1.txt')).rejects.toThrow(/no such file/i);
});

it('has all of today as a table, also what could not be read; what begins like a formula is text there', async () => {
  const world = await start();
  await world.drop(HOME, 'yesterday.xml', invoice({ id: 'Y-1' }));
  await world.passUntilDone(DAY_MS);
  await world.pass(2 * DAY_MS, DAY_MS / 4);
  await world.drop(HOME, 'first.xml', invoice({ id: '=1+1' }));
  await world.drop(HOME, '=cmd.xml', 'no document');
  await world.passUntilDone(DAY_MS);
  const { get, list } = await enter(world, 'erp');
  const [names = '', ...rows] = (await get('today.csv')).split('\r\n');
  expect(names).toBe('droppedAt,file,accountRegNo,family,documentId,sender,receiver,state,network,endedAt,action,message');
  expect(rows.map((row) => row.split(',').slice(1, 5))).toEqual([["'=cmd.xml", HOME, '', ''], ['first.xml', HOME, 'Invoice', "'=1+1"], []]);
  expect(await list()).toEqual(['=1+1.txt', 'Y-1.txt', 'today.csv']);
});

it('forgets what is older than 30 days', async () => {
  const world = await start();
  await world.drop(HOME, 'old.xml', invoice({ id: 'O-1' }));
  await world.passUntilDone(DAY_MS);
  expect(await (await enter(world, 'erp')).list()).toEqual(['O-1.txt', 'today.csv']);
  world.clock.advance(31 * DAY_MS);
  const { get, list } = await enter(world, 'erp');
  expect(await list()).toEqual(['today.csv']);
  await expect(get('O-1.txt')).rejects.toThrow(/no such file/i);
});

it("shows nothing of another home, nor of what other logins did with a home's files; and is not there unless it is said", async () => {
  const world = await start();
  await world.drop(HOME, 'mine.xml', invoice({ id: 'M-1' }));
  await world.drop(OTHER, 'theirs.xml', invoice({ id: 'T-1' }));
  await world.passUntilDone(DAY_MS);
  const [erp, beta] = [await enter(world, 'erp'), await enter(world, 'beta')];
  expect([await erp.list(), await beta.list()]).toEqual([
    ['M-1.txt', 'today.csv'],
    ['T-1.txt', 'today.csv'],
  ]);
  await expect(beta.get('M-1.txt')).rejects.toThrow(/no such file/i);
  expect(await beta.get('today.csv')).not.toContain('M-1');
  // `erp` has dropped it, as far as the gateway knows: another login that sees the home is not told its name.
  expect(await beta.get('T-1.txt')).not.toMatch(/\berp\b/);
  await world[Symbol.asyncDispose]();
  const without = await enter(await start({}), 'erp');
  expect(await without.list('/')).not.toContain('status');
  await expect(without.list()).rejects.toThrow(/no such folder/);
});
