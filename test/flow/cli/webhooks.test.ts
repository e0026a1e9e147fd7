// `dropgate webhook` beside a running core: what an operator sees of subscriptions, and what it does about events that were given up.
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startReceiver } from '../../support/receiver.ts';
import { command } from '../../support/terminal.ts';
import { until } from '../../support/until.ts';
import { startWebhookCore } from '../../support/webhooks.ts';

it('lists subscriptions and dead letters, sends these again, and has deliveries signed', async () => {
  const receiver = await startReceiver(() => ({ status: 410 }));
  onTestFinished(() => receiver[Symbol.asyncDispose]());
  const core = await startWebhookCore();
  onTestFinished(() => core[Symbol.asyncDispose]());
  const data = dirname(core.test.databasePath);
  const config = join(data, 'dropgate.yaml');
  writeFileSync(config, `role: core\ndata: ${data}\n`);
  const run = (line: string) => command([...line.split(' '), '--config', config]);
  const lines = async (line: string) => (await run(line)).out.split('\n').map((each) => JSON.parse(each));

  const id = await core.subscribe('buyer', `${receiver.url}/path-with-secret`);
  expect((await run('webhook list')).out.split('\t')).toEqual([
    id,
    'account buyer',
    `127.0.0.1:${receiver.port}`,
    'well',
    '0 wait',
    '0 dead',
  ]);
  const style = { isColoured: false, nowMs: core.clock.now() };
  expect((await command(['webhook', 'list', '--config', config], undefined, style)).out).toMatch(/STATE +WAITING +DEAD\n.* well +0 +0$/);
  expect(await run('webhook dead')).toMatchObject({
    status: 0,
    out: '',
    err: expect.stringContaining('There are no events that were given up in '),
  });
  await core.send('1');
  await core.settled();
  const [listed] = await lines('webhook list --json');
  expect(listed).toMatchObject({ id, enabled: false, disabledReason: 'gone', waiting: 0, dead: 1, signed: false });
  expect(JSON.stringify(listed)).not.toContain('path-with-secret');
  const [dead] = await lines(`webhook dead --webhook ${id} --json`);
  expect(dead).toMatchObject({
    webhookId: id,
    accountRegNo: 'buyer',
    type: 'new_document',
    attempts: 1,
    reason: 'The receiver answered 410.',
  });
  expect((await run('webhook dead')).out).toContain(dead.eventId);

  expect(await run(`webhook replay ${dead.eventId}`)).toMatchObject({ status: 65, err: expect.stringContaining('is disabled') });
  expect(await run('webhook replay 1234')).toMatchObject({ status: 66, err: expect.stringContaining('no dead letter 1234') });
  expect(await run('webhook replay')).toMatchObject({ status: 64 });
  expect(await run(`webhook sign ${dead.eventId}`)).toMatchObject({ status: 66 });
  expect((await run(`webhook sign ${id}`)).out).toMatch(/^Signing secret, shown once: whsec_[A-Za-z0-9+/]{43}=$/m);

  receiver.script = () => ({ status: 204 });
  await core.subscribe('buyer', receiver.url);
  expect((await run(`webhook replay --webhook ${id}`)).out).toMatch(/^1 event is sent again \(in \/.+\)\.$/);
  // The command stamped it by the clock of the machine.
  core.clock.advance(Math.max(Date.now() - core.clock.now(), 0));
  await until('a sweep finds it', () => {
    core.clock.advance(1_000);
    return receiver.hits.length === 2;
  });
  expect(receiver.hits.map(({ headers }) => headers['webhook-id'])).toEqual([dead.eventId, dead.eventId]);
  expect(receiver.hits[1]?.headers['webhook-signature']).toMatch(/^v1,/);
  expect((await run(`webhook sign ${id} --off`)).out).toContain(`Deliveries of ${id} are signed no more (in `);
});

describe('an operator', () => {
  const ID = /^Subscription ([0-9a-f-]{36}) of account buyer was added/;

  async function begin() {
    const receiver = await startReceiver(() => ({ status: 204 }));
    onTestFinished(() => receiver[Symbol.asyncDispose]());
    const core = await startWebhookCore();
    onTestFinished(() => core[Symbol.asyncDispose]());
    const data = dirname(core.test.databasePath);
    const config = join(data, 'dropgate.yaml');
    writeFileSync(config, `role: core\ndata: ${data}\noutbound: {allow: [127.0.0.0/8]}\n`);
    const run = (line: string) => command([...line.split(' '), '--config', config]);
    return { receiver, core, run };
  }

  it('adds a subscription, changes it, disables and enables it, and removes it', async () => {
    const { receiver, core, run } = await begin();
    const added = await run(`webhook add ${receiver.url} --account buyer`);
    const id = ID.exec(added.out)?.[1] ?? '';
    await core.send('1');
    await core.settled();
    expect(receiver.hits).toHaveLength(1);
    expect((await run(`webhook add ${receiver.url} --account buyer`)).err).toContain(`'dropgate webhook set ${id}' changes it`);

    expect((await run(`webhook set ${id} --event document_delivery`)).status).toBe(0);
    expect(JSON.parse((await run(`webhook show ${id} --json`)).out)).toMatchObject({ types: ['document_delivery'], enabled: true });
    expect((await run(`webhook disable ${id}`)).out).toContain('of account buyer is disabled');
    expect((await run('webhook list')).out.split('\t')[3]).toBe('disabled');
    expect((await run(`webhook enable ${id}`)).out).toContain('is enabled');
    expect((await run(`webhook remove ${id}`)).status).toBe(0);
    expect((await run('webhook list')).out).toBe('');
  });

  it.each([
    ['webhook add https://x.example --account nobody', 66, 'There is no account nobody'],
    ['webhook add https://x.example --partner nobody', 66, 'There is no partner nobody'],
    ['webhook add https://x.example', 64, 'Say whose it is'],
    ['webhook add http://x.example --account buyer', 65, 'https'],
    ['webhook add https://10.0.0.1 --account buyer', 65, 'not public'],
    ['webhook add https://x.example --account buyer --event all', 64, '--event must be one of'],
    ['webhook set 1234 --url https://x.example', 66, 'There is no webhook subscription 1234'],
    ['webhook enable 1234', 66, 'There is no webhook subscription 1234'],
  ])('%s → %i', async (line, status, sentence) => {
    const { run } = await begin();
    expect(await run(line)).toMatchObject({ status, err: expect.stringContaining(sentence) });
  });
});
