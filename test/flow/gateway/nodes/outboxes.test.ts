// What is done each hour for a home, its node does alone: the others close no days of its archive, remove none, and tell of no documents in its outbox.
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AlarmKind, Seen } from '#domain/alarm.ts';
import { calm } from '../../../support/calm.ts';
import { hasPostgres } from '../../../support/postgres.ts';
import { obliging, refusal } from '../../../support/scripted-service.ts';
import { until } from '../../../support/until.ts';
import { type NamedNode, openNamedNodes } from '../../../support/world/named-nodes.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** What a node's watcher of this kind sees. Of outboxes it answers when the look at outboxes and archives that is under way has ended. */
async function seenBy(node: NamedNode, kind: AlarmKind): Promise<Seen> {
  const watcher = node.gateway.watchers(() => 'off').find(({ kinds }) => kinds.includes(kind));
  if (!watcher) throw new Error('nobody watches it');
  return watcher.look();
}

/** The hourly look of a node. */
async function look(node: NamedNode): Promise<void> {
  node.clock.advance(HOUR_MS);
  await calm();
  await seenBy(node, 'not-fetched');
}

describe.runIf(hasPostgres)('Of two nodes', () => {
  it('the one that has a home closes and removes days of its archive, and the other does not', async () => {
    const nodes = await openNamedNodes(['acme'], obliging);
    const settings = { settings: { archive: 10 * DAY_MS } };
    const one = await nodes.start('one', settings);
    await look(one);
    const [over, old] = ['2026-11-19', '2026-10-01'].map((day) => join(nodes.data, 'archive', 'acme', day));
    if (!over || !old) throw new Error('no days');
    for (const day of [over, old]) {
      mkdirSync(day, { recursive: true });
      writeFileSync(join(day, 'a.xml'), '<Invoice/>');
    }
    const two = await nodes.start('two', settings);
    await look(two);
    expect({ isClosed: existsSync(join(over, 'manifest.json')), isThere: existsSync(old) }).toEqual({ isClosed: false, isThere: true });

    await look(one);
    expect({ isClosed: existsSync(join(over, 'manifest.json')), isThere: existsSync(old) }).toEqual({ isClosed: true, isThere: false });
  });

  it('each tells of documents that nobody fetches from the homes that it has, and of no others', async () => {
    const nodes = await openNamedNodes(['acme', 'seller'], obliging);
    const settings = { settings: { pickupAlarm: HOUR_MS } };
    const one = await nodes.start('one', settings);
    const two = await nodes.start('two', settings);
    for (const home of ['acme', 'seller']) writeFileSync(join(nodes.data, 'homes', home, 'outbox', 'a.xml'), '<Invoice/>');
    for (const node of [one, two]) {
      // The file is as old as the clock of the machine says.
      node.clock.step(Date.now() + DAY_MS - node.clock.now());
      await look(node);
    }
    const told = async (node: NamedNode): Promise<string[]> => (await seenBy(node, 'not-fetched')).stands.map(({ subject }) => subject);
    expect(await told(one)).toEqual(['acme', 'seller']);
    expect(await told(two)).toEqual([]);

    await one.gateway.giveUp('seller');
    await two.gateway.takeUp('seller');
    // A home is looked at when it has been taken up, and what stood of it at the other has not ended.
    expect(await told(two)).toEqual(['seller']);
    const { stands, isElsewhere } = await seenBy(one, 'not-fetched');
    expect(stands.map(({ subject }) => subject)).toEqual(['acme']);
    expect(['acme', 'seller'].map((home) => isElsewhere?.(home))).toEqual([false, true]);
  });

  it('the one that comes first when the other has gone knows what that one has told of what they share', async () => {
    const nodes = await openNamedNodes(['acme'], ({ method }) =>
      method === 'POST' ? refusal(400, 'E_VALIDATION_FAILED') : { status: 204 },
    );
    const one = await nodes.start('one');
    const two = await nodes.start('two');
    const drop = async (node: NamedNode, name: string): Promise<void> => {
      const { intake } = node.gateway;
      const { upload, path } = await intake.open({ home: 'acme', folder: 'inbox', name, login: 'erp', session: name, resume: false });
      writeFileSync(path, 'no document');
      await intake.commit(upload, { size: 11, sha256: null });
      await until('it to be refused', () => {
        node.clock.advance(1_000);
        return readdirSync(join(nodes.data, 'homes', 'acme', 'receipts')).some((receipt) => receipt.startsWith(name));
      });
      await calm();
    };
    await drop(one, 'one.xml');
    expect((await seenBy(one, 'refused')).happened).toMatchObject([{ subject: 'acme', times: 1 }]);
    const { stands, isElsewhere } = await seenBy(two, 'refused');
    expect([stands, isElsewhere?.('acme')]).toEqual([[], true]);
    // What was told is remembered when the next look begins.
    await seenBy(one, 'refused');
    await one.stop();
    expect(await seenBy(two, 'refused')).toEqual({ stands: [], happened: [] });
    await until('the home to be taken up', () => {
      two.clock.advance(1_000);
      return two.facts().some(({ event }) => event === 'home.taken-up');
    });
    await drop(two, 'two.xml');
    expect((await seenBy(two, 'refused')).happened).toMatchObject([{ subject: 'acme', times: 1 }]);
  });
});
