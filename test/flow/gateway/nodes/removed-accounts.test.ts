// What is known of an account that was removed goes in its time: by the node that has its home in hand, and by the one that joined first when nobody has it.
import { describe, expect, it } from 'vitest';
import { insertPublication, markWritten } from '#gateway/ledger/publications.ts';
import { removeAccount } from '#gateway/operate/accounts.ts';
import { calm } from '../../../support/calm.ts';
import { hasPostgres } from '../../../support/postgres.ts';
import { refusal, type Script } from '../../../support/scripted-service.ts';
import { until } from '../../../support/until.ts';
import { uploadInvoice } from '../../../support/uploads.ts';
import { dumpTable } from '../../../support/world/ledger-rows.ts';
import { type NamedNode, type NamedNodes, openNamedNodes } from '../../../support/world/named-nodes.ts';

const DAY_MS = 86_400_000;
const KEPT = { settings: { keepItems: 10 * DAY_MS, keepReceipts: DAY_MS, keepAccepted: DAY_MS } };
/** Nothing is followed then. */
const refusing: Script = ({ method }) => (method === 'POST' ? refusal(422, 'E_VALIDATION', { details: [] }) : { status: 204 });
const ROUND_MS = 6 * 3_600_000;
/** Between two steps of a round, at the most. */
const REST_MS = 5_000;

/** Rows about files of the home. */
async function rowsOf({ ledger }: NamedNodes, home: string): Promise<{ items: number; files: number }> {
  const count = async (table: string) => (await dumpTable({ gateway: ledger }, table)).filter((row) => row.home === home).length;
  return { items: await count('items'), files: await count('publications') };
}

/** A file of the home that was refused, with its receipt, and a document that it has received. */
async function exchanged(nodes: NamedNodes, node: NamedNode, home: string): Promise<void> {
  await uploadInvoice(node.gateway.intake, home, home);
  await until('its original and its receipt to be in their folders', async () => {
    node.clock.advance(1_000);
    const files = (await dumpTable({ gateway: nodes.ledger }, 'publications')).filter((row) => row.home === home);
    return files.length === 2 && files.every((row) => row.written_at !== null);
  });
  const received = { folder: 'outbox', name: 'received.xml', staged: '', subject: `received-${home}`, stage: 'received' } as const;
  await nodes.ledger.write([], async (rows) => {
    const publication = await insertPublication(rows, { ...received, accountRegNo: home, home });
    await markWritten(rows, publication ? [publication.publication] : [], node.clock.now());
  });
}

async function removed(nodes: NamedNodes, home: string): Promise<void> {
  expect(await removeAccount(nodes.administration, home)).toBe(true);
}

/** So many days, in which a node looks at all whose time is over. */
async function pass(node: NamedNode, days: number): Promise<void> {
  for (let round = 0; round < 2; round++) {
    node.clock.advance(round === 0 ? days * DAY_MS : ROUND_MS);
    await calm();
    for (let step = 0; step < 20; step++) {
      node.clock.advance(REST_MS);
      await calm();
    }
  }
}

describe.runIf(hasPostgres)('Rows of an account that was removed', () => {
  it('go though the node that had its home has gone as well', async () => {
    const nodes = await openNamedNodes(['gone', 'stays'], refusing);
    const one = await nodes.start('one', KEPT);
    const two = await nodes.start('two', KEPT);
    for (const home of ['gone', 'stays']) await exchanged(nodes, one, home);
    await removed(nodes, 'gone');
    await one.stop();
    expect(await rowsOf(nodes, 'gone')).toEqual({ items: 1, files: 3 });
    await pass(two, 11);
    expect(await rowsOf(nodes, 'gone')).toEqual({ items: 0, files: 0 });
    expect(await rowsOf(nodes, 'stays')).toEqual({ items: 0, files: 0 });
  });

  it('are left to the node that has its home in hand', async () => {
    const nodes = await openNamedNodes(['gone'], refusing);
    const one = await nodes.start('one', KEPT);
    const two = await nodes.start('two', KEPT);
    await exchanged(nodes, one, 'gone');
    await one.gateway.giveUp('gone');
    await two.gateway.takeUp('gone');
    await removed(nodes, 'gone');
    const there = await rowsOf(nodes, 'gone');
    await pass(one, 11);
    expect(await rowsOf(nodes, 'gone')).toEqual(there);
    await pass(two, 11);
    expect(await rowsOf(nodes, 'gone')).toEqual({ items: 0, files: 0 });
  });

  it('are deleted by one of the nodes', async () => {
    const nodes = await openNamedNodes(['gone'], refusing);
    const one = await nodes.start('one', KEPT);
    const two = await nodes.start('two', KEPT);
    const three = await nodes.start('three', KEPT);
    await exchanged(nodes, one, 'gone');
    await removed(nodes, 'gone');
    await one.stop();
    const there = await rowsOf(nodes, 'gone');
    await pass(three, 11);
    expect(await rowsOf(nodes, 'gone')).toEqual(there);
    await pass(two, 11);
    expect(await rowsOf(nodes, 'gone')).toEqual({ items: 0, files: 0 });
  });
});
