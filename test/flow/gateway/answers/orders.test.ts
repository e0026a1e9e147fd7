// Orders that are moved into `answer`, on disk and over SFTP: one response for one move, or a receipt that says why there is none.
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type ssh2 from 'ssh2';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { itemIds } from '#domain/id.ts';
import { carriedName } from '#gateway/disk/carry.ts';
import { REASONS_MAX } from '#gateway/model/order-answer.ts';
import { addLogin, addLoginHome, changeRules } from '#gateway/operate/logins.ts';
import { validate } from '#rules/validate.ts';
import { systemRandom } from '#runtime/clock.ts';
import { manualClock } from '../../../support/clock.ts';
import { BUYER, documentOf, invoice, SELLER } from '../../../support/documents.ts';
import { called, connect, openSftp } from '../../../support/sftp-clients.ts';
import { PASSWORD_HASH } from '../../../support/sftp-server.ts';
import { type StandIn, startStandIn, workOf } from '../../../support/stand-in/stand-in.ts';
import { given } from '../../../support/world/services.ts';
import { startWorld, type World } from '../../../support/world/world.ts';

const HOME = 'seller';
const MINUTE_MS = 60_000;
/** At the most between two looks into the folders. */
const LOOK_EVERY_MS = 5_000;
/** Files that may wait for the service. */
const ITEMS_MAX = 5;

interface Client {
  list(path: string): Promise<string[]>;
  isFolder(path: string): Promise<boolean>;
  rename(from: string, to: string): Promise<void>;
  mkdir(path: string): Promise<void>;
  rmdir(path: string): Promise<void>;
  read(path: string): Promise<Buffer>;
  write(path: string): Promise<void>;
  remove(path: string): Promise<void>;
}

let service: StandIn;
let world: World<StandIn>;
let orders = 0;

beforeEach(async () => {
  const clock = manualClock();
  service = await startStandIn({ clock, accounts: { [HOME]: 'key' } });
  world = await startWorld(given(service, workOf(service)), {
    clock,
    accounts: { [HOME]: 'key' },
    hinted: false,
    itemsMax: ITEMS_MAX,
    before: async (on) => addLogin(on, { login: 'erp', passwordHash: PASSWORD_HASH, publicKeys: [], rules: { answers: ['answer'] } }),
  });
  await world.administer((on) => addLoginHome(on, 'erp', HOME, ''));
  await world.inTime('the folders', () => existsSync(at('query')));
  await world.inTime('the first sweep', () => service.requests.some(({ path, status }) => path.includes('readorders') && status === 204));
});

const at = (...below: string[]): string => world.home(HOME, 'answer', ...below);
const idOf = (): string => `PO-${++orders}`;

/** An order that was received; resolves with its file in the outbox. */
async function received(options: Parameters<typeof documentOf>[1] = {}, change = (text: string): string => text): Promise<string> {
  const before = world.files(HOME, 'outbox');
  const order = Buffer.from(documentOf('Order', { id: idOf(), sender: BUYER, receiver: SELLER, ...options })).toString();
  service.arrive(HOME, Buffer.from(change(order)));
  const name = await world.inTime('the order', () => {
    world.gateway().ring(HOME, 'Order');
    return world.files(HOME, 'outbox').find((each) => !before.includes(each));
  });
  return world.home(HOME, 'outbox', name);
}

const sent = (): string[] =>
  service.holding.all.filter(({ direction }) => direction === 'outgoing').map(({ bytes }) => Buffer.from(bytes).toString());
const left = (): string[] =>
  readdirSync(at(), { recursive: true, withFileTypes: true }).flatMap((entry) => (entry.isFile() ? entry.name : []));
const move = (file: string, to: string): void => renameSync(file, at(to));
const settled = (): Promise<unknown> => world.inTime('nothing to be left', () => left().length === 0);
const receipt = (file: string, stage: string) =>
  world.inTime(`${stage} of ${file}`, () => {
    const found = world.files(HOME, 'receipts').find((each) => each.startsWith(`${file}.`) && each.endsWith(`.${stage}.json`));
    return found && JSON.parse(world.read(HOME, 'receipts', found).toString());
  });

describe('an order that was received', () => {
  it('is answered by moving it into accept, reject or query', async () => {
    for (const [answer, code] of [
      ['accept', 'AP'],
      ['reject', 'RE'],
      ['query', 'AB'],
    ] as const) {
      const order = await received();
      const bytes = readFileSync(order);
      move(order, `${answer}/${answer}.xml`);
      const told = { family: 'OrderResponse', sender: SELLER, receiver: BUYER };
      expect(await receipt(`${answer}-${answer}.xml`, 'accepted')).toMatchObject(told);
      await settled();
      const response = sent().at(-1) ?? '';
      expect(response).toContain(`<cbc:OrderResponseCode>${code}<`);
      expect(await validate(Buffer.from(response), { day: '2026-11-21' })).toMatchObject({ valid: true, profile: 'order-response' });
      const originals = world.files(HOME, 'accepted').filter((name) => name.startsWith(`${answer}.`));
      expect(originals.map((name) => world.read(HOME, 'accepted', name).equals(bytes))).toEqual([true]);
    }
    expect(sent()).toHaveLength(3);
  });

  it('of the advanced process gets the response of that process', async () => {
    move(await received({}, (text) => text.replace('bis:ordering:3', 'bis:advanced_ordering:3')), 'accept/order.xml');
    await receipt('accept-order.xml', 'accepted');
    expect(await validate(Buffer.from(sent()[0] ?? ''), { day: '2026-11-21' })).toMatchObject({
      valid: true,
      profile: 'order-response-advanced',
    });
  });

  it('is not answered before a minute, nor when it was moved back by then', async () => {
    const order = await received();
    move(order, 'accept/order.xml');
    await world.pass(MINUTE_MS - 10_000);
    renameSync(at('accept/order.xml'), order);
    await world.pass(2 * MINUTE_MS);
    expect(sent()).toEqual([]);
    expect(world.stages(HOME)).toEqual([]);
    expect(existsSync(order)).toBe(true);
    move(order, 'reject/order.xml');
    await receipt('reject-order.xml', 'accepted');
    expect(sent()).toHaveLength(1);
  });

  it('that was moved back and in again within a moment has its minute anew', async () => {
    const order = await received();
    move(order, 'accept/order.xml');
    await world.pass(MINUTE_MS - 10_000);
    renameSync(at('accept/order.xml'), order);
    move(order, 'accept/order.xml');
    await world.pass(MINUTE_MS - 10_000);
    expect(left()).toEqual(['order.xml']);
    await receipt('accept-order.xml', 'accepted');
    expect(sent()).toHaveLength(1);
  });

  it('has the reason from a folder, which goes with it, or from a name that ends in .txt', async () => {
    mkdirSync(at('reject', 'price < 5 & "odd"'));
    move(await received(), 'reject/price < 5 & "odd"/order.xml');
    move(await received(), 'query/Which colour?.txt');
    await receipt('reject-order.xml', 'accepted');
    await receipt('query-Which colour?.xml', 'accepted');
    await settled();
    const notes = sent().map((text) => /<cbc:Note>(.*)<\/cbc:Note>/.exec(text)?.[1]);
    expect(notes.sort()).toEqual(['Which colour?', 'price &lt; 5 &amp; "odd"']);
    expect(readdirSync(at('reject'))).toEqual([]);
  });

  it('of the same number from two buyers gets two responses of two numbers', async () => {
    const id = idOf();
    move(await received({ id }), 'accept/one.xml');
    move(await received({ id, sender: '0088:7300010000018' }), 'accept/two.xml');
    await receipt('accept-one.xml', 'accepted');
    await receipt('accept-two.xml', 'accepted');
    const numbers = sent().map((text) => /<cbc:ID>([^<]*)</.exec(text)?.[1]);
    expect(new Set(numbers).size).toBe(2);
  });

  it('may be asked about, and then decided, once', async () => {
    const order = await received();
    const again = join(world.data, 'kept.xml');
    copyFileSync(order, again);
    const answers = async (name: string, folder: string, stage: string): Promise<string> => {
      copyFileSync(again, at(folder, name));
      return (await receipt(stage === 'accepted' ? `${folder}-${name}` : name, stage)).code;
    };
    expect(await answers('1.xml', 'query', 'accepted')).toBeNull();
    expect(await answers('2.xml', 'query', 'refused')).toBe('order-answered');
    expect(await answers('3.xml', 'accept', 'accepted')).toBeNull();
    expect(await answers('4.xml', 'reject', 'refused')).toBe('order-answered');
    expect(await answers('5.xml', 'accept', 'refused')).toBe('order-answered');
    expect(sent()).toHaveLength(2);
    await settled();
    expect(world.files(HOME, 'refused').map((name) => name.slice(0, 1))).toEqual(['2', '4', '5']);
  });
});

describe('orders that are moved at once', () => {
  it('as copies of one get one response; the others are refused', async () => {
    const order = readFileSync(await received());
    const names = ['1', '2', '3', '4', '5'];
    for (const name of names) writeFileSync(at('accept', `${name}.xml`), order);
    await settled();
    await world.inTime('all receipts', () => world.stages(HOME).length === names.length);
    expect(world.stages(HOME).sort()).toEqual(['accepted', 'refused', 'refused', 'refused', 'refused']);
    expect(sent()).toHaveLength(1);
  });

  it('wait where the inbox has no more room, which is said once, and are answered when it has', async () => {
    const files: string[] = [];
    while (files.length < ITEMS_MAX + 3) files.push(await received());
    service.manners.fault = () => ({ answers: { status: 503 }, does: false });
    for (const [n, file] of files.slice(0, ITEMS_MAX).entries()) move(file, `accept/${n}.xml`);
    await settled();
    for (const [n, file] of files.slice(ITEMS_MAX).entries()) move(file, `reject/${n}.xml`);
    await world.inTime('no room', () => world.logged('order.postponed') > 0);
    await world.pass(MINUTE_MS);
    expect(left()).toHaveLength(3);
    expect(world.logged('order.postponed')).toBe(1);
    service.manners.fault = () => undefined;
    await settled();
    await world.inTime('all answers', () => sent().length === files.length);
  });
});

describe('what cannot be answered', () => {
  it('comes back in refused, with a receipt', async () => {
    const order = readFileSync(await received()).toString();
    const silent = readFileSync(await received({}, (text) => text.replace('bis:ordering:3', 'bis:order_only:3')));
    const cases: Record<string, readonly [bytes: Uint8Array, code: string]> = {
      forged: [documentOf('Order', { id: 'FORGED', sender: BUYER, receiver: SELLER }), 'order-not-received'],
      changed: [Buffer.from(order.replace('125.00', '1.00')), 'order-not-received'],
      invoice: [invoice(), 'order-not-answerable'],
      silent: [silent, 'order-not-answerable'],
      broken: [invoice().subarray(0, 300), 'truncated'],
      empty: [new Uint8Array(), 'truncated'],
      other: [Buffer.from('no document'), 'not-ubl'],
    };
    for (const [name, [bytes]] of Object.entries(cases)) writeFileSync(at('accept', `${name}.xml`), bytes);
    for (const [name, [bytes, code]] of Object.entries(cases)) {
      const message = expect.stringMatching(/^No response was sent: /);
      expect(await receipt(`${name}.xml`, 'refused')).toMatchObject({ code, message });
      const refused = world.files(HOME, 'refused').filter((each) => each.startsWith(`${name}.`));
      expect(refused.map((each) => world.read(HOME, 'refused', each).equals(bytes))).toEqual([true]);
    }
    await settled();
    expect(sent()).toEqual([]);
  });

  it('links, and folders in folders, stay where they are', async () => {
    const order = await received();
    symlinkSync(order, at('accept', 'link.xml'));
    mkdirSync(at('accept', 'why', 'deeper'), { recursive: true });
    move(order, 'accept/why/deeper/order.xml');
    symlinkSync(world.home(HOME, 'outbox'), at('accept', 'elsewhere'));
    await world.pass(3 * MINUTE_MS);
    expect(readdirSync(at('accept')).sort()).toEqual(['elsewhere', 'link.xml', 'why']);
    expect(world.stages(HOME)).toEqual([]);
  });
});

describe('over SFTP', () => {
  async function enter(): Promise<Client> {
    const client = await connect({ port: world.gateway().sftp.port, knownHosts: '', login: 'erp' });
    onTestFinished(() => void client.end());
    const sftp = await openSftp(client);
    return {
      list: async (path) => (await called<ssh2.FileEntryWithStats[]>((done) => sftp.readdir(path, done))).map(({ filename }) => filename),
      isFolder: async (path) => (await called<ssh2.Stats>((done) => sftp.stat(path, done))).isDirectory(),
      rename: (from, to) => called((done) => sftp.rename(from, to, done)),
      mkdir: (path) => called((done) => sftp.mkdir(path, done)),
      rmdir: (path) => called((done) => sftp.rmdir(path, done)),
      read: (path) => called((done) => sftp.readFile(path, done)),
      write: (path) => called((done) => sftp.writeFile(path, 'text', done)),
      remove: (path) => called((done) => sftp.unlink(path, done)),
    };
  }

  it('an order is moved into a folder for its reason, and answered', async () => {
    const order = basename(await received());
    const sftp = await enter();
    expect(await sftp.list('/')).toContain('answer');
    expect(await sftp.list('/answer')).toEqual(['accept', 'reject', 'query']);
    await expect(sftp.mkdir('/answer/late')).rejects.toThrow('those for reasons are made in accept, reject, query');
    await sftp.mkdir('/answer/reject/too late');
    expect(await sftp.list('/answer/reject')).toEqual(['too late']);
    expect(await sftp.isFolder('/answer/reject/too late')).toBe(true);
    await sftp.rename(`/outbox/${order}`, '/answer/reject/too late/order.xml');
    expect(await sftp.list('/answer/reject/too late')).toEqual(['order.xml']);
    expect(await sftp.isFolder('/answer/reject/too late/order.xml')).toBe(false);
    expect((await sftp.read('/answer/reject/too late/order.xml')).toString()).toContain('<Order');
    await settled();
    expect(await sftp.list('/answer/reject')).toEqual([]);
    await receipt('reject-order.xml', 'accepted');
    expect(sent()).toEqual([expect.stringContaining('<cbc:Note>too late</cbc:Note>')]);
  });

  it('it is moved back within a minute, and asked about before it is accepted', async () => {
    const order = basename(await received());
    const sftp = await enter();
    await sftp.rename(`/outbox/${order}`, '/answer/accept/order.xml');
    await world.pass(MINUTE_MS - 10_000);
    await sftp.rename('/answer/accept/order.xml', `/outbox/${order}`);
    await world.pass(2 * MINUTE_MS);
    expect(sent()).toEqual([]);
    await sftp.rename(`/outbox/${order}`, '/answer/query/Which colour.txt');
    await receipt('query-Which colour.xml', 'accepted');
    await settled();
    const asked = (await sftp.list('/accepted')).find((name) => name.startsWith('Which colour.')) ?? '';
    await sftp.rename(`/accepted/${asked}`, `/answer/accept/${asked}`);
    await receipt(`accept-${asked}`, 'accepted');
    // The question is no reason for the decision.
    expect(sent().map((text) => /<cbc:Note>(.*)<\/cbc:Note>/.exec(text)?.[1])).toEqual(['Which colour', undefined]);
  });

  it('what was dropped does not get among what was received by way of an answer', async () => {
    await received();
    const sftp = await enter();
    await world.drop(HOME, 'own.xml', invoice());
    await receipt('own.xml', 'accepted');
    const own = (await sftp.list('/accepted')).find((name) => name.startsWith('own.')) ?? '';
    await expect(sftp.rename(`/accepted/${own}`, '/answer/accept/invoice.xml')).rejects.toThrow('not an order that was received');
    expect(await sftp.list('/accepted')).toContain(own);
  });

  it('so many folders for reasons can be made for an answer, and no more', async () => {
    const sftp = await enter();
    for (let n = 0; n < REASONS_MAX; n++) await sftp.mkdir(`/answer/reject/${n}`);
    await expect(sftp.mkdir('/answer/reject/one more')).rejects.toThrow(`there are ${REASONS_MAX} folders for reasons here already`);
    await sftp.rmdir('/answer/reject/0');
    await sftp.mkdir('/answer/reject/one more');
    await sftp.rename(`/outbox/${basename(await received())}`, '/answer/reject/one more/order.xml');
    await receipt('reject-order.xml', 'accepted');
  });

  it('nothing else can be done there', async () => {
    const order = basename(await received());
    const sftp = await enter();
    await sftp.rename(`/outbox/${order}`, '/answer/accept/order.xml');
    await sftp.mkdir('/answer/accept/why');
    const refused: readonly (readonly [work: () => Promise<unknown>, sentence: string])[] = [
      [() => sftp.write('/answer/accept/other.xml'), 'orders are moved here out of outbox'],
      [() => sftp.remove('/answer/accept/order.xml'), 'cannot be removed; move it back to outbox'],
      [() => sftp.mkdir('/answer/accept/why'), 'there already'],
      [() => sftp.mkdir('/answer/accept/why/deeper'), 'has no folders in it'],
      [() => sftp.mkdir('/answer/perhaps'), 'folders cannot be made here'],
      [() => sftp.rmdir('/answer/accept'), 'cannot be removed'],
      [() => sftp.rename('/answer/accept/order.xml', '/refused/order.xml'), 'orders are moved here out of outbox or accepted, and back'],
      [() => sftp.rename('/answer/accept/order.xml', '/inbox/order.xml'), 'orders are moved here'],
      [() => sftp.rename('/answer/accept/order.xml', '/answer/accept/.order.xml'), 'must not begin with a dot'],
      [() => sftp.rename('/answer/accept/order.xml', '/answer/accept/why'), "'why' is there already"],
      [() => sftp.rename('/answer/accept/order.xml', '/answer/reject'), 'this is a folder; name the file in it'],
      [() => sftp.rename('/answer/accept/none.xml', '/answer/reject'), 'this is a folder; name the file in it'],
      [() => sftp.rename('/answer/accept/none.xml', '/answer/reject/none.xml'), 'no such file'],
      [() => sftp.rename('/answer/accept/why', '/answer/reject/why'), 'no such file'],
      [() => sftp.list('/answer/accept/none'), 'no such folder'],
    ];
    for (const [work, sentence] of refused) await expect(work()).rejects.toThrow(sentence);
    await sftp.rename('/answer/accept/order.xml', '/answer/accept/why/order.xml');
    await expect(sftp.rmdir('/answer/accept/why')).rejects.toThrow('move them back first');
    await sftp.rename('/answer/accept/why/order.xml', `/outbox/${order}`);
    await sftp.rmdir('/answer/accept/why');
    expect(await sftp.list('/answer/accept')).toEqual([]);
  });
});

it('of folders for reasons that a program has made beyond these is told', async () => {
  for (let n = 0; n <= REASONS_MAX; n++) mkdirSync(at('query', String(n)));
  await world.inTime('a line', () => world.logged('answers.too-many-folders') > 0);
  await world.pass(MINUTE_MS);
  expect(world.logged('answers.too-many-folders')).toBe(1);
});

it('is off for a home none of whose logins has the rule', async () => {
  await world.administer((on) => changeRules(on, 'erp', { answers: null }));
  const order = await received();
  await world.pass(10_000);
  move(order, 'accept/order.xml');
  await world.pass(3 * MINUTE_MS);
  expect(left()).toEqual(['order.xml']);
});

it('that the process before has left is settled by one round, however long the first one takes', async () => {
  const newId = itemIds(Date.now, systemRandom);
  for (const name of ['A', 'B', 'C']) renameSync(await received(), at('accept', carriedName(newId(), `${name}.xml`)));
  await world.restart();
  world.clock.advance(LOOK_EVERY_MS);
  for (const name of ['A', 'B', 'C']) await receipt(`accept-${name}.xml`, 'accepted');
  await settled();
  expect(world.logged('order.postponed')).toBe(0);
});

it('waits while the service is away, and is sent once when it is back', async () => {
  const order = await received();
  service.manners.fault = () => ({ answers: { status: 503 }, does: false });
  move(order, 'accept/order.xml');
  await settled();
  await world.restart();
  await world.pass(MINUTE_MS);
  expect(sent()).toEqual([]);
  service.manners.fault = () => undefined;
  await receipt('accept-order.xml', 'accepted');
  expect(sent()).toHaveLength(1);
});
