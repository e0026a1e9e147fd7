// What became of them nobody knows: files that are held stay for ten years, while all that ended around them goes.
import { expect, it } from 'vitest';
import { invoice } from '../../../support/documents.ts';
import { retentionRounds } from '../../../support/retention.ts';
import { created, refusal } from '../../../support/scripted-service.ts';
import { scripted } from '../../../support/world/services.ts';
import { startWorld } from '../../../support/world/world.ts';
import { DAY_MS, KEPT_MS } from './years.ts';

const MONTHS = 120;
const MONTH_MS = 30 * DAY_MS;
const STEP_MS = 6 * DAY_MS;
/** Beyond its period a row may stay until the next rounds. */
const SPARE_MONTHS = 2;
const ACCOUNT = 'acme-ab';

it('accepted and refused files go, held ones stay with their bytes, each once', async () => {
  const world = await startWorld(
    scripted(({ method, body }) => {
      if (method !== 'POST') return { status: 204 };
      const [, kind] = /<cbc:ID>(good|bad|lost)-/.exec(body.toString()) ?? [];
      if (kind === 'bad') return refusal(422, 'E_VALIDATION', { details: [] });
      return kind === 'lost' ? { status: 500 } : created();
    }),
    { settings: { keepItems: KEPT_MS, keepAccepted: DAY_MS, keepReceipts: DAY_MS } },
  );
  const lost: string[] = [];
  let most = 0;
  for (let month = 0; month < MONTHS; month++) {
    for (const kind of ['good', 'bad']) await world.drop(ACCOUNT, `${kind}-${month}.xml`, invoice({ id: `${kind}-${month}` }));
    if (month % 12 === 0) lost.push(await world.drop(ACCOUNT, `lost-${month}.xml`, invoice({ id: `lost-${month}` })));
    await world.pass(MONTH_MS, STEP_MS);
    if (month % 12 === 11) await world.restart();
    const items = await world.items();
    most = Math.max(most, items.length);
    expect(items.filter(({ item }) => lost.includes(item)).map(({ item }) => item)).toEqual(lost);
    expect(world.spooled(ACCOUNT).length).toBeGreaterThanOrEqual(lost.length);
  }
  await retentionRounds(world);
  expect(most).toBeLessThanOrEqual(2 * (Math.ceil(KEPT_MS / MONTH_MS) + SPARE_MONTHS) + lost.length);
  expect(await world.count('held')).toBe(lost.length);
});
