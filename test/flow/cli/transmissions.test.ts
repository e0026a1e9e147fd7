// `dropgate transmission` beside a running core: what an operator sees of the way to the network, and trying again what was given up.
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { selectTransmissions } from '#core/ledger/transmission-list.ts';
import { TRANSMISSION_STATES } from '#core/model/transmission.ts';
import { type HttpAccessPoint, handOver } from '../../support/access-point.ts';
import type { TestCore } from '../../support/core.ts';
import { BUYER, invoice, SELLER } from '../../support/documents.ts';
import { startSellerBehindHttp, type TestNetwork } from '../../support/network.ts';
import { answerDocument, envelopeOf, MLS } from '../../support/network-answers.ts';
import { command } from '../../support/terminal.ts';

const OUT = '/transaction/seller/invoices/outgoing';
const HOUR = 60 * 60_000;

let network: TestNetwork;
let ap: HttpAccessPoint;
let core: TestCore;
let config: string;
beforeEach(async () => {
  ({ network, ap, core } = await startSellerBehindHttp());
  const data = dirname(core.databasePath);
  config = join(data, 'dropgate.yaml');
  writeFileSync(config, `role: core\ndata: ${data}\n`);
});

const run = (line: string) => command([...line.split(' '), '--config', config]);
const listed = async (line = 'transmission list') =>
  (await run(`${line} --json`)).out.split('\n').flatMap((each) => (each === '' ? [] : JSON.parse(each)));
/** Of the latest one; what the command tells, without running it again and again. */
const latest = async () =>
  (await selectTransmissions(core.administration.ledger.read, { states: TRANSMISSION_STATES, accountRegNo: null, limit: 1 }))[0];
const send = async (id: string): Promise<string> => (await core.call(OUT, { body: invoice({ id }) })).json.data.integrationId;
const statusOf = async (integrationId: string) =>
  (await core.call(`${OUT}/status?integrationId=${integrationId}&includeRead=true`)).json[0].metadata.status;
const reaches = (integrationId: string, status: string, stepMs?: number) =>
  network.wait(`status ${status}`, async () => (await statusOf(integrationId)) === status, stepMs);
/** The command stamps by the clock of the machine, which the core's must have reached. */
const catchUp = () => network.clock.advance(Math.max(Date.now() - network.clock.now(), 0));

it('lists what waits, what the access point has and what failed; and the others when they are asked for', async () => {
  ap.mode = () => 401;
  const integrationId = await send('1');
  await network.wait('tries', async () => ((await latest())?.attempts ?? 0) > 1);
  expect(await listed()).toEqual([
    {
      instanceId: expect.any(String),
      state: 'waiting',
      accountRegNo: 'seller',
      family: 'Invoice',
      documentId: '1',
      receiver: BUYER,
      integrationId,
      version: 1,
      status: 'queued',
      attempts: expect.any(Number),
      reason: expect.stringContaining('The access point did not take the document (it answered 401).'),
      createdAt: expect.stringMatching(/Z$/),
      handedAt: null,
      postedAt: null,
      nextAttemptAt: expect.stringMatching(/Z$/),
    },
  ]);
  expect((await run('transmission list')).out.split('\t').slice(2, 6)).toEqual(['waiting', 'seller', 'Invoice 1', BUYER]);
  ap.mode = () => 'fail';
  await network.wait('the hand-over', async () => (await latest())?.state === 'handed');
  for (const each of ap.transactions.values()) Object.assign(each, { status: 'sent', mlsStatus: 'received_ap' });
  await reaches(integrationId, 'delivered', 60_000);
  expect(await listed()).toEqual([]);
  expect(await listed('transmission list --state done --state waiting')).toMatchObject([{ state: 'done', status: 'delivered' }]);
  expect(await listed('transmission list --state done --account buyer')).toEqual([]);
  expect(await run('transmission list --state gone')).toMatchObject({ status: 64, err: expect.stringContaining('waiting, handed') });
});

it('shows one: the statuses of its message, and each answer with code, text, time and places', async () => {
  ap.mode = () => 'send';
  const integrationId = await send('1');
  const instanceId = await network.wait('the hand-over', () => ap.submissions[0]);
  await reaches(integrationId, 'sent', 0);
  const answer = answerDocument({
    customization: MLS,
    code: 'RE',
    reference: instanceId,
    reason: 'It is wrong.',
    lines: [['/Invoice/cbc:ID', 'BR-02 is broken']],
  });
  await handOver(core.core.url, envelopeOf(answer, { instanceId: 'an-answer', sender: '0242:000123', receiver: SELLER }));
  const [shown] = await listed(`transmission show ${instanceId}`);
  const at = expect.stringMatching(/Z$/);
  const findings = [{ rule: 'BV', severity: 'fatal', message: 'BR-02 is broken', path: '/Invoice/cbc:ID' }];
  expect(shown).toMatchObject({
    instanceId,
    state: 'done',
    statuses: [
      { status: 'queued', at, reason: null },
      { status: 'sent', at, reason: null },
      { status: 'rejected', at, reason: 'It is wrong.' },
    ],
    answers: [{ kind: 'mls', code: 'RE', text: 'It is wrong.', at, findings }],
  });
  const { out } = await run(`transmission show ${instanceId}`);
  expect(out).toMatch(/^answer {2,}\S+Z mls RE It is wrong\.$/m);
  expect(out).toMatch(/^finding {2,}BV \/Invoice\/cbc:ID BR-02 is broken$/m);
  expect(await run('transmission show 1234')).toMatchObject({ status: 66, err: expect.stringContaining('no transmission 1234') });
});

it('what was never handed over is tried again under its name', async () => {
  ap.mode = () => 401;
  const integrationId = await send('1');
  await network.wait('tries', () => ap.submissions.length > 2);
  network.clock.advance(72 * HOUR);
  await reaches(integrationId, 'failed', HOUR);
  const [{ instanceId, state }] = await listed();
  expect(state).toBe('failed');
  ap.mode = () => 'send';
  catchUp();
  expect((await run(`transmission retry ${instanceId}`)).out).toBe(
    `seller ${integrationId} is tried again as ${instanceId} (in ${dirname(core.databasePath)}).`,
  );
  expect(await run(`transmission retry ${instanceId}`)).toMatchObject({ status: 65, err: expect.stringContaining('is waiting') });
  await reaches(integrationId, 'sent', 10_000);
  expect([...ap.transactions.keys()]).toEqual([instanceId]);
});

it('what may have got through has not failed while nobody can say: it is asked for beyond the time for tries, and not sent twice', async () => {
  ap.mode = () => 'lose';
  const integrationId = await send('1');
  await network.wait('the hand-over', () => ap.transactions.size === 1);
  await ap.stop();
  network.clock.advance(72 * HOUR);
  await network.wait('the end of tries', async () => (await latest())?.state === 'handed', HOUR);
  expect(await statusOf(integrationId)).toBe('queued');
  expect((await listed())[0].reason).toMatch(/no answer|no connection/);
  await ap.start();
  // What the receiver's registration says by now must not decide about what has left already.
  network.smp.participants.delete(BUYER);
  for (const each of ap.transactions.values()) each.status = 'sent';
  await reaches(integrationId, 'sent', HOUR);
  expect(ap.submissions).toHaveLength(1);
});

it('what the access point gave up is a new transmission, of the same message; the earlier one stays as it was', async () => {
  const integrationId = await send('1');
  await network.wait('the hand-over', () => ap.transactions.size === 1);
  for (const each of ap.transactions.values()) Object.assign(each, { status: 'permanently_failed', errorDetails: 'no AS4 answer' });
  await reaches(integrationId, 'failed');
  const [{ instanceId, reason }] = await listed();
  expect(reason).toBe('no AS4 answer');
  catchUp();
  const [again] = await listed(`transmission retry ${instanceId}`);
  expect(again).toEqual({ accountRegNo: 'seller', integrationId, instanceId: expect.not.stringMatching(instanceId) });
  expect(await statusOf(integrationId)).toBe('queued');
  await network.wait('the second hand-over', () => ap.transactions.size === 2);
  expect(ap.submissions).toEqual([instanceId, again.instanceId]);
  const second = ap.transactions.get(again.instanceId);
  if (second) second.status = 'sent';
  await reaches(integrationId, 'sent', 10_000);
  expect(await listed('transmission list --state replaced')).toMatchObject([{ instanceId, reason: 'no AS4 answer' }]);
  expect(await run(`transmission retry ${instanceId}`)).toMatchObject({ status: 65, err: expect.stringContaining('is replaced') });
  expect(await run('transmission retry 1234')).toMatchObject({ status: 66, err: expect.stringContaining('no transmission 1234') });
});

it('what an access point took and then knew nothing of is seen, and tried again', async () => {
  const integrationId = await send('1');
  await network.wait('the hand-over', async () => (await latest())?.state === 'handed');
  ap.transactions.clear();
  network.clock.advance(15 * 24 * HOUR);
  await network.wait('the end of asking', async () => (await latest())?.state === 'silent', HOUR);
  expect(await statusOf(integrationId)).toBe('queued');
  const [{ instanceId, reason }] = await listed();
  expect(reason).toBe('The access point knows nothing of it.');
  // The second of two is none: the first stays retried, and is told.
  const { status, err } = await run(`transmission retry ${instanceId} 1234`);
  expect([status, err]).toEqual([66, expect.stringMatching(/is tried again as .* Then: There is no transmission 1234/)]);
  await network.wait('the second hand-over', () => ap.transactions.size === 1);
  expect(await statusOf(integrationId)).toBe('queued');
});
