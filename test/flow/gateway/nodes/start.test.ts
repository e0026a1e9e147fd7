// Nodes that are started at the same time: one after the other brings ledger and spool together, however long each takes, and none ends because of that.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { putNode, readNodes } from '#gateway/ledger/nodes.ts';
import { lockStart } from '#runtime/files/lock.ts';
import { calm } from '../../../support/calm.ts';
import { type ManualClock, manualClock } from '../../../support/clock.ts';
import { hasPostgres } from '../../../support/postgres.ts';
import { obliging } from '../../../support/scripted-service.ts';
import { until } from '../../../support/until.ts';
import { uploadInvoice } from '../../../support/uploads.ts';
import { homesOf } from '../../../support/world/homes.ts';
import { type NamedNode, type NamedNodes, openNamedNodes } from '../../../support/world/named-nodes.ts';

const HOME = 'acme';
/** More than a command waits for a start. */
const WAITED_MS = 40_000;
const STEP_MS = 5_000;
/** So long, really, that a node looks at the lock several times. */
const LOOKS_MS = 100;

describe.runIf(hasPostgres)('A node that starts', () => {
  let nodes: NamedNodes;
  let skippedMs: number;

  beforeEach(async () => {
    nodes = await openNamedNodes([HOME], obliging);
    skippedMs = 0;
    const now = performance.now.bind(performance);
    const spied = vi.spyOn(performance, 'now').mockImplementation(() => now() + skippedMs);
    onTestFinished(() => spied.mockRestore());
  });

  /** Begins to start, and has joined. */
  async function begin(name: string, clock: ManualClock = manualClock()): Promise<{ readonly started: Promise<NamedNode> }> {
    const started = nodes.start(name, {}, { clock });
    // It is looked at in the end.
    started.catch(() => undefined);
    await until(`${name} to join`, async () => (await readNodes(nodes.ledger.read)).some(({ node }) => node === name));
    await calm();
    return { started };
  }

  async function wait(...clocks: ManualClock[]): Promise<void> {
    for (let passed = 0; passed < WAITED_MS; passed += STEP_MS) {
      skippedMs += STEP_MS;
      for (const clock of clocks) clock.advance(STEP_MS);
      await pause(LOOKS_MS);
    }
  }

  /** Rows of a node that lived are in the ledger, which does not belong to the spool. */
  async function fromBackup(): Promise<void> {
    await nodes.ledger.write(['administration'], (rows) => putNode(rows, { incarnation: 'GONE', node: 'old', place: 'elsewhere' }, -1));
    mkdirSync(join(nodes.data, 'spool'), { recursive: true });
    writeFileSync(join(nodes.data, 'spool', '.epoch'), 'OFANOTHERLEDGER\n');
  }

  const events = (node: NamedNode): unknown[] => node.facts().map(({ event }) => event);

  it('waits for as long as another start takes, and says so', async () => {
    const other = await lockStart(nodes.data);
    const { started } = await begin('one');
    await wait();
    other[Symbol.dispose]();
    expect(events(await started)).toContain('start.waits');
  });

  it('ends nodes that a backup has brought back, for they will never bring ledger and spool together', async () => {
    await fromBackup();
    const one = await nodes.start('one');
    expect(events(one)).toEqual(expect.arrayContaining(['node.taken-over', 'recover.restored']));
  });

  it('holds what a restored ledger has and the spool has not, though it has the homes only after its start, with a receipt', async () => {
    nodes.service.script = ({ method }) => (method === 'POST' ? { status: 503 } : { status: 204 });
    const before = await nodes.start('one');
    // The second one waits for the first, and is not tried.
    for (const id of ['F-1', 'F-2']) await uploadInvoice(before.gateway.intake, HOME, id);
    await until('a try', () => nodes.service.creates().length > 0);
    await before.stop();
    rmSync(join(nodes.data, 'spool', HOME), { recursive: true });
    await fromBackup();
    const one = await nodes.start('one');
    const held = await until('the homes to be taken up', () => {
      one.clock.advance(1_000);
      const found = homesOf(nodes.data)
        .files(HOME, 'receipts')
        .filter((name) => name.includes('.held.'));
      return found.length === 2 ? found : undefined;
    });
    expect(held.sort()).toEqual([expect.stringMatching(/^F-1\.xml\./), expect.stringMatching(/^F-2\.xml\./)]);
  });

  it('does not keep the first one from bringing ledger and spool together, for which it waits', async () => {
    // They do not belong together, as after a restore.
    mkdirSync(join(nodes.data, 'spool'), { recursive: true });
    writeFileSync(join(nodes.data, 'spool', '.epoch'), 'OFANOTHERLEDGER\n');
    const other = await lockStart(nodes.data);
    const clock = manualClock();
    const first = await begin('one');
    const second = await begin('two', clock);
    await wait(clock);
    other[Symbol.dispose]();
    const one = await first.started;
    expect(events(one)).toEqual(expect.arrayContaining(['start.waits', 'recover.restored']));
    await wait(clock);
    expect(events(await second.started)).not.toContain('start.waits');
  });
});
