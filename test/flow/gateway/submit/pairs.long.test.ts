// Two files of one document, dropped at the same time: the same content, or a long one and a short one, of which the short one is read first.
// They are never at the service at once, and nobody waits longer than for the other's answer. 60 pairs; DROPGATE_PAIRS gives another number.
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { invoice } from '../../../support/documents.ts';
import { randomOf } from '../../../support/random.ts';
import { until } from '../../../support/until.ts';
import { standIn } from '../../../support/world/services.ts';
import { startWorld } from '../../../support/world/world.ts';

const PAIRS = Number(process.env.DROPGATE_PAIRS ?? 60);
const SEED = 7;
const LATENCY_MS_MAX = 12;

it('one is accepted, the other is its duplicate, or refused for its content', async () => {
  const world = await startWorld(standIn());
  const { service } = world;
  const draw = randomOf(SEED);
  const atService = new Map<string, number>();
  let together = 0;
  service.manners.fault = async ({ method, body }) => {
    if (method !== 'POST') return undefined;
    const id = /<cbc:ID>(P-\d+)</.exec(body.toString())?.[1] ?? '';
    const others = atService.get(id) ?? 0;
    if (others > 0) together++;
    atService.set(id, others + 1);
    await pause(draw(0, LATENCY_MS_MAX));
    atService.set(id, (atService.get(id) ?? 1) - 1);
    return undefined;
  };

  const files = Array.from({ length: PAIRS }, (_, index) => {
    const id = `P-${index}`;
    const receiver = `0088:735000000${String(index).padStart(4, '0')}`;
    const same = index % 2 === 0;
    const [one, other] = [invoice({ id, receiver, ...(!same && { attachmentBytes: 150_000 }) }), invoice({ id, receiver })];
    return index % 3 === 0 ? [one, other] : [other, one];
  });
  for (const [index, pair] of files.entries()) {
    await Promise.all(pair.map((bytes, place) => world.drop('acme-ab', `P-${index}.${place}.xml`, bytes)));
  }
  const receipts = (): string[] => world.files('acme-ab', 'receipts');
  // No time passes: whoever waits is let go by the other's end.
  await until('a receipt for each', () => receipts().length === 2 * PAIRS, 60_000);
  const stages = Array.from({ length: PAIRS }, (_, index) =>
    receipts()
      .filter((name) => name.startsWith(`P-${index}.`))
      .map((name) => name.split('.').at(-2))
      .sort()
      .join(' '),
  );
  const ids = files.map((_, index) => `P-${index}`);
  console.log(
    `pairs: ${PAIRS} pairs, ${together} together at the service, ${service.tally('acme-ab', ids).twice.length} twice, seed ${SEED}`,
  );
  expect(together).toBe(0);
  expect(stages).toEqual(stages.map((_, index) => (index % 2 === 0 ? 'accepted duplicate' : 'accepted refused')));
  expect(service.tally('acme-ab', ids)).toEqual({ lost: [], twice: [] });
});
