// Files of one document in every order: random interleavings of asking, losing answers, refusals and ends on a real ledger. Two are never
// under way at once, and there is always one that does not wait for another. 500 interleavings; DROPGATE_TURNS gives another number.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { itemIds } from '#domain/id.ts';
import { closeAttempts, noteAttempt } from '#gateway/ledger/attempts.ts';
import { postponeItem } from '#gateway/ledger/item-waits.ts';
import { finishItem, insertItem, readItem } from '#gateway/ledger/items.ts';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import { readForgotten, readWaiting } from '#gateway/ledger/pair-order.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import { ALL_HOMES } from '#gateway/model/homes.ts';
import type { ItemHead } from '#gateway/model/item.ts';
import { admit } from '#gateway/submit/admit.ts';
import { systemRandom } from '#runtime/clock.ts';
import { BUYER, SELLER } from '../../../support/documents.ts';
import { randomOf } from '../../../support/random.ts';
import { defectiveGate } from '../../../support/stand-in/defective.ts';
import { emptyTable } from '../../../support/world/ledger-rows.ts';

const INTERLEAVINGS = Number(process.env.DROPGATE_TURNS ?? 500);
const OWNER = 'test';
const MINUTE = 60_000;

const folder = mkdtempSync(join(tmpdir(), 'dropgate-turns-'));
let ledger: Ledger;
beforeAll(async () => {
  ledger = await openGatewayLedger(folder);
});
afterAll(async () => {
  await ledger.close();
  rmSync(folder, { recursive: true });
});

interface Run {
  readonly seed: number;
  readonly gate?: typeof admit;
}

interface Course {
  /** Two of one document were under way at once. */
  readonly overlaps: number;
  /** All waited for each other, or for one that had ended. */
  readonly stuck: number;
  /** How often an item had to wait for another. */
  readonly waits: number;
}

/** Lives through one interleaving of three files of one document; one of them may go to another receiver. */
async function live({ seed, gate = admit }: Run): Promise<Course> {
  const draw = randomOf(seed);
  let now = Date.parse('2026-11-21T10:00:00Z') + seed * 1_000;
  const newId = itemIds(() => now, systemRandom);
  const ids = [newId(), newId(), newId()];
  const heads = new Map(
    ids.map((id): [string, ItemHead] => [
      id,
      { family: 'Invoice', documentId: `D-${seed}`, sender: SELLER, receiver: draw(1, 5) === 1 ? `${BUYER}9` : BUYER },
    ]),
  );
  for (const item of ids) {
    await ledger.write([], (rows) =>
      insertItem(rows, {
        item,
        accountRegNo: 'acme',
        home: 'acme',
        login: null,
        fileName: item,
        spoolName: item,
        mode: 'send',
        sha256: item,
        size: 1,
        receivedAt: now,
        recovered: false,
      }),
    );
  }

  /** Attempts whose answer has not come. */
  const sent = new Map<string, number>();
  /** The answer never came: the service may have it. */
  const doubtful = new Set<string>();
  /** May ask now; the ledger's time does not count for those that were let go. */
  const asking = new Set<string>(ids);
  const course = { overlaps: 0, stuck: 0, waits: 0 };
  const open = new Set(ids);

  async function ask(id: string): Promise<void> {
    asking.delete(id);
    const item = await readItem(ledger.read, id);
    const head = heads.get(id);
    if (item?.state !== 'pending' || !head) return;
    const passage = await ledger.write([], (rows) =>
      gate(rows, { item, head, owner: OWNER, now, leaseUntil: now + MINUTE, answered: new Set() }),
    );
    if (passage.kind === 'wait') course.waits++;
    if (passage.kind === 'duplicate') await end(id);
    if (passage.kind !== 'go') return;
    if ([...sent.keys(), ...doubtful].some((other) => other !== id)) course.overlaps++;
    sent.set(id, passage.number);
  }

  async function answer(id: string, number: number): Promise<void> {
    sent.delete(id);
    const fate = draw(1, 10);
    if (fate <= 4) return end(id);
    if (fate <= 7) doubtful.add(id);
    else doubtful.delete(id);
    await ledger.write([], async (rows) => {
      if (fate > 7) {
        // The service did not take it, whatever was tried before.
        await closeAttempts(rows, id, 'paused', now);
        await noteAttempt(rows, id, number, 'paused', now);
      }
      await postponeItem(rows, id, { now, until: now + 5_000, reason: 'later' });
    });
    for (const other of await readWaiting(ledger.read, id)) asking.add(other);
  }

  async function end(id: string): Promise<void> {
    doubtful.delete(id);
    open.delete(id);
    const state = draw(1, 2) === 1 ? 'accepted' : 'refused';
    await ledger.write([], async (rows) => {
      await finishItem(rows, id, { state, integrationId: null, duplicateOf: null, reason: null, endedAt: now });
      await closeAttempts(rows, id, state, now);
    });
    // A ring may be lost; then the sweep finds it.
    const released = draw(1, 5) === 1 ? await readForgotten(ledger.read, ALL_HOMES, 100) : await readWaiting(ledger.read, id);
    for (const other of released) asking.add(other);
  }

  for (let step = 0; open.size > 0 && step < 1_000; step++) {
    const choices: (() => Promise<void>)[] = [
      ...[...asking].map((id) => () => ask(id)),
      ...[...sent].map(
        ([id, number]) =>
          () =>
            answer(id, number),
      ),
    ];
    const choice = choices[draw(0, Math.max(choices.length - 1, 0))];
    if (choice) {
      await choice();
      continue;
    }
    // No item can go: a time must come for one that does not wait for another.
    const waiting = new Set((await Promise.all(ids.map((id) => readWaiting(ledger.read, id)))).flat());
    const free = [...open].filter((id) => !waiting.has(id));
    if (free.length === 0) {
      course.stuck++;
      break;
    }
    now += 6_000;
    for (const id of free) asking.add(id);
  }
  if (open.size > 0) course.stuck++;
  return course;
}

async function liveAll(count: number, gate?: typeof admit): Promise<Course> {
  const sum = { overlaps: 0, stuck: 0, waits: 0 };
  for (let seed = 1; seed <= count; seed++) {
    const { overlaps, stuck, waits } = await live({ seed, ...(gate && { gate }) });
    sum.overlaps += overlaps;
    sum.stuck += stuck;
    sum.waits += waits;
  }
  return sum;
}

it('two of one document are never under way at once, and none wait in a circle', async () => {
  const sum = await liveAll(INTERLEAVINGS);
  console.log(
    `turns: ${INTERLEAVINGS} interleavings, ${sum.waits} waits, ${sum.overlaps} overlaps, ${sum.stuck} stuck, seeds 1 to ${INTERLEAVINGS}`,
  );
  expect(sum).toMatchObject({ overlaps: 0, stuck: 0 });
  expect(sum.waits).toBeGreaterThan(INTERLEAVINGS / 2);
});

it.each([
  ['that looks at earlier files only', "tried.where('item', '!=', item.item)", "tried.where('item', '<', item.item)", 'overlaps'],
  ['that lets one under way wait for those that are not', 'if (found || underWay) return found &&', 'if (found) return', 'stuck'],
] as const)('a gate %s is found', async (_, from, to, sees) => {
  const loaded = await defectiveGate({ file: 'ledger/pair-order.ts', from, to });
  await emptyTable(ledger, 'items');
  const sum = await liveAll(100, loaded);
  expect(sum[sees]).toBeGreaterThan(0);
});
