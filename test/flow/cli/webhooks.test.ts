// `dropgate webhook` beside a running core: what an operator sees of subscriptions, and what it does about events that were given up.
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
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
