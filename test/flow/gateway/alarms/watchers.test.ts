// What the gateway's watchers see: each alarm fired by what it is about, on a gateway before a service that follows a script.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { AlarmKind, Seen } from '#domain/alarm.ts';
import { invoice } from '../../../support/documents.ts';
import { startPage } from '../../../support/page.ts';
import { created, refusal, type Script } from '../../../support/scripted-service.ts';
import { until } from '../../../support/until.ts';
import { scripted } from '../../../support/world/services.ts';
import { startWorld, type World } from '../../../support/world/world.ts';

const ACCOUNT = 'acme-ab';
const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;

const accepting: Script = ({ method }) => (method === 'POST' ? created() : { status: 204 });
const answering =
  (reply: ReturnType<Script>): Script =>
  ({ method }) =>
    method === 'POST' ? reply : { status: 204 };

/** The looks of one process. */
function looks(world: World, rhythm: 'learn' | 'off' = 'learn'): (kind: AlarmKind) => Promise<Seen> {
  const watchers = world.gateway().watchers(() => rhythm);
  return async (kind) => {
    let found: Seen = { stands: [] };
    for (const watcher of watchers) {
      const seen = await watcher.look();
      if (watcher.kinds.includes(kind)) found = seen;
    }
    const ofKind = (each: { readonly kind: AlarmKind }): boolean => each.kind === kind;
    return { stands: found.stands.filter(ofKind), happened: (found.happened ?? []).filter(ofKind) };
  };
}

it('documents that were refused are told once, with how many and why', async () => {
  const world = await startWorld(scripted(answering(refusal(400, 'E_VALIDATION_FAILED'))));
  const look = looks(world);
  expect(await look('refused')).toEqual({ stands: [], happened: [] });
  await world.drop(ACCOUNT, 'one.xml', 'no document');
  await world.drop(ACCOUNT, 'two.xml', 'no document');
  await world.passUntilDone(HOUR);
  expect((await look('refused')).happened).toMatchObject([
    { subject: ACCOUNT, times: 2, sentence: expect.stringMatching(/(one|two)\.xml was refused: .+dropgate item [0-9a-z]{8}/) },
  ]);
  expect((await look('refused')).happened).toEqual([]);
  // What was told is remembered at the next look; what is refused meanwhile is told by the next process.
  await look('refused');
  await world.drop(ACCOUNT, 'three.xml', 'no document');
  await world.passUntilDone(HOUR);
  await world.restart();
  expect((await looks(world)('refused')).happened).toMatchObject([
    { subject: ACCOUNT, times: 1, sentence: expect.stringContaining('three.xml') },
  ]);
});

it('documents that were refused before the first look are told, and not those of before alarms', async () => {
  const world = await startWorld(scripted(answering(refusal(400, 'E_VALIDATION_FAILED'))));
  await world.drop(ACCOUNT, 'one.xml', 'no document');
  await world.passUntilDone(HOUR);
  // The process dies before it has looked: the next one begins where it did.
  await world.restart();
  const look = looks(world);
  expect((await look('refused')).happened).toMatchObject([{ subject: ACCOUNT, times: 1, sentence: expect.stringContaining('one.xml') }]);
  rmSync(join(world.data, 'alarms'), { recursive: true });
  await world.restart();
  expect((await looks(world)('refused')).happened).toEqual([]);
});

it('documents that are held stand until nobody has to look any more', async () => {
  const world = await startWorld(scripted(answering('silence')), { settings: { requestTimeout: 1_000 } });
  const look = looks(world);
  const item = await world.drop(ACCOUNT, 'i.xml', invoice());
  expect((await look('held')).stands).toEqual([]);
  world.service.script = answering({ status: 500 });
  await world.pass(70 * HOUR, 15 * 60_000);
  await until('it to be held', async () => {
    await world.pass(HOUR, 15 * 60_000);
    return (await world.count('held')) === 1;
  });
  expect((await look('held')).stands).toMatchObject([
    { subject: ACCOUNT, sentence: expect.stringContaining('1 document waits for a person') },
  ]);
  const { cancelItem } = await import('#gateway/operate/cancel.ts');
  await world.operate((on) => cancelItem(on, item, true));
  expect((await look('held')).stands).toEqual([]);
});

it('a service that refuses the account, and one that does not answer for an hour, stand until it answers', async () => {
  const world = await startWorld(scripted(answering(refusal(401, 'E_UNAUTHORIZED_CLIENT'))));
  const look = looks(world);
  await world.drop(ACCOUNT, 'i.xml', invoice());
  await world.pass(60_000, 1_000);
  expect((await look('service-silent')).stands).toMatchObject([
    { subject: ACCOUNT, sentence: expect.stringContaining('refuses more than one document') },
  ]);
  world.service.script = answering({ status: 500 });
  await world.pass(20 * 60_000, 60_000);
  await look('service-silent');
  for (let quarters = 0; quarters < 8; quarters++) {
    await world.pass(15 * 60_000);
    await look('service-silent');
  }
  expect((await look('service-silent')).stands).toMatchObject([
    { subject: `${ACCOUNT} Invoice`, sentence: expect.stringContaining('nothing was heard') },
  ]);
  // The next process knows since when.
  await look('held');
  await world.restart();
  const again = looks(world);
  expect((await again('service-silent')).stands).toHaveLength(1);
  world.service.script = accepting;
  await world.pass(2 * HOUR);
  expect(await world.count('accepted')).toBe(1);
  expect((await again('service-silent')).stands).toEqual([]);
});

it('an account that usually sends is told when it is silent, by what the ledger has of the last weeks', async () => {
  const world = await startWorld(scripted(accepting));
  // A Saturday: 30 working days follow each other.
  for (let day = 0; day < 42; day++) {
    const isWeekend = [0, 6].includes(new Date(world.clock.now()).getUTCDay());
    if (!isWeekend) await world.drop(ACCOUNT, `${day}.xml`, invoice({ id: `F-${day}` }));
    await world.pass(DAY, 6 * HOUR);
  }
  const learning = looks(world);
  expect((await learning('account-silent')).stands).toEqual([]);
  // What was learnt is written down at the next look.
  await learning('account-silent');
  const page = await startPage(world);
  expect((await page.run('account', 'show', ACCOUNT)).out).toMatch(
    /usually sends +Monday, Tuesday, Wednesday, Thursday, Friday, by \d\d:00 UTC/,
  );
  const browser = page.browser();
  await browser.login('looker');
  expect((await browser.get(`/account?id=${ACCOUNT}`)).text).toMatch(/usually sends<\/dt><dd>Monday, .*Friday, by \d\d:00 UTC/);
  await world.pass(3 * DAY, 6 * HOUR);
  expect((await looks(world, 'off')('account-silent')).stands).toEqual([]);
  const look = looks(world);
  expect((await look('account-silent')).stands).toMatchObject([
    { subject: ACCOUNT, sentence: expect.stringContaining('it usually sends, and has sent nothing since before 2027-01-04') },
  ]);
  await world.drop(ACCOUNT, 'again.xml', invoice({ id: 'F-again' }));
  await world.pass(60_000);
  expect((await look('account-silent')).stands).toEqual([]);
});
