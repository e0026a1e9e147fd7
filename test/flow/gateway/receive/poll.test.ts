// Documents from the service into the outbox: each once, byte for byte, marked only afterwards (submit-and-poll.md, 'Poll').
import { describe, expect, it } from 'vitest';
import { calm } from '../../../support/calm.ts';
import { invoice, SELLER } from '../../../support/documents.ts';
import { type Mailbox, mailbox } from '../../../support/mailbox.ts';
import type { Reply, ScriptedService } from '../../../support/scripted-service.ts';
import { until } from '../../../support/until.ts';
import { scripted } from '../../../support/world/services.ts';
import { startWorld, type World } from '../../../support/world/world.ts';

async function start(box: Mailbox, hinted = true): Promise<{ service: ScriptedService; world: World }> {
  const world = await startWorld(scripted(box.script), { accounts: { 'beta-as': 'key-of-beta' }, hinted });
  const { service } = world;
  return { service, world };
}

const withoutLimits = (answer: Reply): Reply =>
  typeof answer === 'string' ? answer : { ...answer, headers: { ...answer.headers, 'ratelimit-limit': 'unknown' } };

const outbox = (world: World): string[] => world.files('beta-as', 'outbox');
/** The account's first sweep is over: it ends with a read that finds nothing. */
const started = (box: Mailbox): Promise<unknown> => until('the first sweep', () => box.reads() >= 1);

describe('a document that arrives', () => {
  it('lies in the outbox byte for byte, and is marked read after that', async () => {
    const box = mailbox();
    const { world } = await start(box);
    await started(box);
    const bytes = Buffer.from(invoice({ id: 'R/1', issueDate: '2026-11-20' }));
    const integrationId = box.put(bytes);
    world.gateway().ring('beta-as', 'Invoice');
    const name = `2026-11-20_Invoice_R-1_${SELLER.replace(':', '-')}_${integrationId.replaceAll('-', '').slice(-8)}.xml`;
    await until('the outbox file', () => outbox(world).includes(name));
    expect(world.read('beta-as', 'outbox', name).equals(bytes)).toBe(true);
    await until('the mark', () => box.isRead(integrationId));
  });

  it('and all before it need one page of the list, once a sweep has met them where they stand', async () => {
    const box = mailbox();
    const { world } = await start(box);
    await started(box);
    const ids = Array.from({ length: 60 }, (_, at) => box.put(invoice({ id: `R-${at}` })));
    const sweep = async (): Promise<number> => {
      const before = box.lists();
      world.gateway().ring('beta-as', 'Invoice');
      await until('the list', () => box.lists() > before);
      await calm();
      return box.lists() - before;
    };
    await sweep();
    await until('the marks', () => ids.every((id) => box.isRead(id)));
    for (let times = 0; times < 3; times++) await sweep();
    expect(await sweep()).toBe(1);
  });

  it('is found without a hint, by the clock', async () => {
    const box = mailbox();
    const { world } = await start(box, false);
    await started(box);
    box.put(invoice());
    await world.inTime('the outbox file', () => outbox(world).length === 1, 60_000);
  });

  it('is published once, although the ERP has taken it and the gateway restarts', async () => {
    const box = mailbox();
    const { world } = await start(box);
    await started(box);
    const integrationId = box.put(invoice());
    world.gateway().ring('beta-as', 'Invoice');
    await until('the mark', () => box.isRead(integrationId));
    world.clear('beta-as', 'outbox');
    const lists = box.lists();
    await world.restart();
    await until('a sweep after the restart', () => box.lists() > lists + 1);
    expect(outbox(world)).toEqual([]);
  });

  it('and is overwritten later comes again, as a second version', async () => {
    const box = mailbox();
    const { world } = await start(box);
    await started(box);
    const integrationId = box.put(invoice({ note: 'first' }));
    world.gateway().ring('beta-as', 'Invoice');
    await until('the first version', () => outbox(world).length === 1);
    box.replace(integrationId, invoice({ note: 'second' }));
    world.gateway().ring('beta-as', 'Invoice');
    await until('the second version', () => outbox(world).some((name) => name.endsWith('~2.xml')));
    expect(outbox(world)).toHaveLength(2);
  });
});

it('500 documents that arrive while the list is read are all published, none twice', async () => {
  const box = mailbox();
  const { world } = await start(box);
  await started(box);
  for (let index = 0; index < 300; index++) box.put(invoice({ id: `A-${index}` }));
  let late = 0;
  box.onList = () => {
    for (let index = 0; index < 10 && late < 200; index++) box.put(invoice({ id: `L-${late++}` }));
    world.gateway().ring('beta-as', 'Invoice');
  };
  world.gateway().ring('beta-as', 'Invoice');
  await until('500 files', () => outbox(world).length === 500);
  await until('all marks', () => box.unread() === 0);
  expect(new Set(outbox(world).map((name) => name.split('_')[2])).size).toBe(500);
});

describe('the first start of an account', () => {
  it('publishes what is unread, of any age, and leaves what others have read', async () => {
    const box = mailbox();
    const old = box.put(invoice({ id: 'OLD' }));
    box.markRead(old);
    for (let index = 0; index < 30; index++) box.put(invoice({ id: `NEW-${index}` }));
    const { world } = await start(box);
    await until('30 files', () => outbox(world).length === 30);
    await until('all marks', () => box.unread() === 0);
    expect(outbox(world).some((name) => name.includes('OLD'))).toBe(false);
  });

  it('publishes everything when an answer that marked was lost', async () => {
    const box = mailbox();
    box.markRead(box.put(invoice({ id: 'OLD' })));
    box.put(invoice({ id: 'NEW' }));
    box.loseReads = 1;
    const { world } = await start(box);
    await until('both files', () => outbox(world).length === 2);
  });
});

it('a document that goes from the list between two pages hides none behind it', async () => {
  const box = mailbox();
  for (let index = 0; index < 40; index++) box.put(invoice({ id: `D-${index}` }));
  box.limitMax = 20;
  let pages = 0;
  box.onList = () => {
    if (++pages === 3) for (let index = 0; index < 5; index++) box.withdraw();
  };
  const { world } = await start(box);
  await until('35 files', () => outbox(world).length >= 35);
  expect(new Set(outbox(world).map((name) => name.split('_')[2])).size).toBe(outbox(world).length);
});

it('a document that cannot be fetched for a while is not forgotten behind newer ones', async () => {
  const box = mailbox();
  const { script } = box;
  const broken = { integrationId: '' };
  const { world } = await start({
    ...box,
    script: (seen) => (seen.query.get('integrationId') === broken.integrationId ? { status: 500 } : script(seen)),
  });
  await started(box);
  broken.integrationId = box.put(invoice({ id: 'BROKEN' }));
  for (let index = 0; index < 39; index++) box.put(invoice({ id: `F-${index}` }));
  world.gateway().ring('beta-as', 'Invoice');
  await until('the others', () => outbox(world).length === 39);
  await until('the end of the sweep', () => world.logged('poll.postponed') > 0);
  broken.integrationId = 'mended';
  world.gateway().ring('beta-as', 'Invoice');
  await until('all', () => outbox(world).length === 40);
});

it('an answer about another document than the one asked for is not published', async () => {
  const box = mailbox();
  const { script } = box;
  const { world } = await start({
    ...box,
    script: async (seen) => {
      const answer = await script(seen);
      const isDocument = typeof answer !== 'string' && answer.headers?.integrationid !== undefined;
      return isDocument ? { ...answer, headers: { ...answer.headers, integrationid: 'another' } } : answer;
    },
  });
  box.put(invoice());
  world.gateway().ring('beta-as', 'Invoice');
  await until('the refusal', () => world.logged('poll.postponed') > 0);
  expect(outbox(world)).toEqual([]);
});

it('a service whose pages are small, and that says so by 400, is read to the end', async () => {
  const box = mailbox();
  box.limitMax = 20;
  for (let index = 0; index < 70; index++) box.put(invoice({ id: `P-${index}` }));
  const { world } = await start(box);
  await until('70 files', () => outbox(world).length === 70);
});

it('the first start that is told to wait takes the unread afterwards, and nothing that others have read', async () => {
  const box = mailbox();
  box.markRead(box.put(invoice({ id: 'OLD' })));
  box.put(invoice({ id: 'NEW' }));
  const script = box.script;
  let refusals = 1;
  const world = await startWorld(
    scripted((seen) =>
      seen.path.endsWith('/readinvoices') && refusals-- > 0
        ? { status: 429, headers: { 'retry-after': '5' }, body: { status: 'error', type: 'E_RATE_LIMITED', data: 'wait' } }
        : script(seen),
    ),
    { accounts: { 'beta-as': 'key-of-beta' } },
  );
  await world.inTime('the new one', () => outbox(world).some((name) => name.includes('NEW')) && box.unread() === 0);
  expect(outbox(world)).toHaveLength(1);
});

it('a list that is longer than the budget of a minute is read to its end', async () => {
  const box = mailbox();
  const bytes = invoice({ id: 'OLD' });
  for (let index = 0; index < 3_000; index++) box.markRead(box.put(bytes));
  box.put(invoice({ id: 'NEW' }));
  // Without headers that tell its limits, the service is asked 30 times a minute at the most.
  const { script } = box;
  const { world } = await start({ ...box, script: async (seen) => withoutLimits(await script(seen)) });
  await world.inTime('the new document', () => outbox(world).length > 0, 5_000);
  expect(outbox(world).map((name) => name.split('_')[2])).toEqual(['NEW']);
  expect(box.lists()).toBeLessThan(100);
});
