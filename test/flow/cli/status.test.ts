// `dropgate status`: what needs a person first, what waits and since when, and what became of the documents of today.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { loseSealed, readSealed } from '#gateway/ledger/sealed.ts';
import { manualClock } from '../../support/clock.ts';
import { invoice } from '../../support/documents.ts';
import { obliging, refusal, type Script, type ScriptedService } from '../../support/scripted-service.ts';
import { type CommandResult, command } from '../../support/terminal.ts';
import { scripted } from '../../support/world/services.ts';
import { startWorld, type World } from '../../support/world/world.ts';

const ACCOUNT = 'acme-ab';
const HOUR_MS = 3_600_000;
const failing: Script = ({ method }) => (method === 'POST' ? { status: 503, body: 'later' } : { status: 204 });
const refusing: Script = ({ method }) => (method === 'POST' ? refusal(422, 'E_VALIDATION', { details: [] }) : { status: 204 });

let world: World<ScriptedService>;
beforeEach(async () => {
  world = await startWorld(scripted(obliging), { clock: manualClock(Date.now()) });
  writeFileSync(join(world.data, 'dropgate.yaml'), `role: gateway\ndata: ${world.data}\nservice: {url: "http://127.0.0.1:9"}\n`);
});

const run = (...args: string[]): Promise<CommandResult> => command([...args, '--config', join(world.data, 'dropgate.yaml')]);

async function dropUntil(id: string, script: Script, isSo: () => Promise<boolean>): Promise<void> {
  world.service.script = script;
  await world.drop(ACCOUNT, `${id}.xml`, invoice({ id }));
  await world.inTime(`${id} to get there`, isSo, 2 * HOUR_MS);
}

it('says that there is nothing', async () => {
  await world.stop();
  const { status, out, err } = await run('status');
  expect([status, out]).toEqual([0, '']);
  expect(err).toContain('No daemon runs here');
  expect(err).toContain('nothing that needs a person');
});

it('tells of the day, of what waits, and of a service that does not answer', async () => {
  await dropUntil('1', obliging, async () => (await world.count('accepted')) === 1);
  await dropUntil('2', refusing, async () => (await world.count('refused')) === 1);
  await dropUntil('3', failing, async () => (await world.attempts()).length >= 4);
  await world.stop();
  const told = JSON.parse((await run('status', '--json')).out);
  expect(told).toMatchObject({
    isRunning: false,
    matters: [],
    waiting: [{ accountRegNo: ACCOUNT, count: 1, since: expect.stringMatching(/^2/), reason: expect.any(String) }],
    silent: [{ accountRegNo: ACCOUNT, family: 'Invoice', count: 1, since: expect.stringMatching(/^2/) }],
    today: { dropped: 3, accepted: 1, refused: 1, held: 0, cancelled: 0, delivered: 0 },
  });
  const lines = (await run('status')).out.split('\n').map((line) => line.split('\t'));
  expect(lines.map(([topic, account, count]) => [topic, account, count])).toEqual([
    ['waiting', ACCOUNT, '1'],
    ['pending', ACCOUNT, '1'],
    ['today', '-', '3'],
    ['today', '-', '1'],
    ['today', '-', '1'],
  ]);
});

it('tells first what needs a person', async () => {
  await dropUntil('1', failing, async () => (await world.count('held')) === 1);
  await dropUntil('2', failing, async () => (await world.attempts()).length > 1);
  await world.stop();
  const [first = ''] = (await run('status')).out.split('\n');
  expect(first).toMatch(/^held\tacme-ab\t1\t2\S+\tThey wait for a person: dropgate items --state held --account acme-ab$/);
});

it('tells of an account whose API key was lost with the key file, and why its files wait', async () => {
  await dropUntil('1', failing, async () => (await world.attempts()).length > 0);
  await world.stop();
  const anew = `dropgate account rotate-key ${ACCOUNT} --api-key-stdin < key`;
  await world.administer(async ({ ledger }) => {
    for (const each of await readSealed(ledger.read)) await ledger.write([], (rows) => loseSealed(rows, each));
  });
  await world.restart();
  const reason = 'the API key of the account cannot be read';
  await world.inTime('its turn', async () => (await world.items()).some((item) => item.reason === reason), HOUR_MS / 4);
  await world.stop();
  const { matters, waiting } = JSON.parse((await run('status', '--json')).out);
  expect(matters).toEqual([{ what: 'key', accountRegNo: ACCOUNT, count: 1, since: null, sentence: expect.stringContaining(anew) }]);
  expect(waiting).toMatchObject([{ accountRegNo: ACCOUNT, reason }]);
  expect((await run('doctor')).out).toMatch(new RegExp(`^warning\\t.*${ACCOUNT}.* rotate-key `, 'm'));
});

it('tells of alarms that stand, but for those of which it tells itself, and of channels that cannot tell them', async () => {
  await world.stop();
  const since = Date.parse('2026-11-20T10:00:00Z');
  const alarm = (kind: string, subject: string, sentence: string) => ({ kind, subject, sentence, since, goneSince: null });
  const standing = [alarm('not-fetched', 'acme-ab', '3 documents lie in the outbox.'), alarm('held', 'acme-ab', 'a document waits.')];
  const news = [{ kind: 'held', subject: 'acme-ab', sentence: 'x', what: 'began', at: since }];
  const posts = { mail: { news, lost: 0, failures: 4, notBefore: since, reason: 'nobody answers' } };
  mkdirSync(join(world.data, 'alarms'), { recursive: true });
  writeFileSync(join(world.data, 'alarms', 'state.json'), JSON.stringify({ standing, posts }));
  expect(JSON.parse((await run('status', '--json')).out).matters).toEqual([
    {
      what: 'alarm',
      accountRegNo: null,
      count: 1,
      since: '2026-11-20T10:00:00.000Z',
      sentence: 'not-fetched acme-ab: 3 documents lie in the outbox.',
    },
    {
      what: 'channel',
      accountRegNo: null,
      count: 1,
      since: null,
      sentence: 'The channel mail has failed 4 times (nobody answers), and its news wait: dropgate alarm list',
    },
  ]);
  expect((await run('status')).out).toContain('failed\t-\t1\t2026-11-20T10:00:00.000Z\talarm: not-fetched acme-ab: 3 documents');
});
