// The gateway's metrics: what is counted while it works, and the balance of custody at any moment.
import { expect, it } from 'vitest';
import { startGateway } from '#gateway/gateway.ts';
import { type Census, takeCensus } from '#gateway/ledger/census.ts';
import { type Measured, Metrics, metricsText } from '#runtime/metrics.ts';
import { manualClock } from '../../../support/clock.ts';
import { invoice } from '../../../support/documents.ts';
import { obliging, refusal, type Script } from '../../../support/scripted-service.ts';
import { eventually } from '../../../support/until.ts';
import { scripted } from '../../../support/world/services.ts';
import { startWorld } from '../../../support/world/world.ts';

const ACCOUNT = 'acme-ab';

/** Lines of a text of metrics that begin so, without what comes before the value. */
async function linesOf(measured: Measured, name: string): Promise<string[]> {
  const text = await metricsText([measured]);
  return text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
}

const sumOf = ({ items }: Census): number => [...items.values()].reduce((sum, count) => sum + count, 0);

/** Says no to every third document, each time for two rules. */
const choosy: Script = (request) => {
  const details = ['BR-02', 'BR-CO-15', 'a rule\nwith its own lines'].map((rule) => ({ rule, severity: 'fatal', message: 'No.' }));
  const isBad = request.method === 'POST' && request.body.includes('BAD-');
  return isBad ? refusal(422, 'E_VALIDATION', { details }) : obliging(request);
};

it('counts what was taken, ended, refused and received, under labels that nobody else chooses', async () => {
  const clock = manualClock();
  const metrics = new Metrics(clock);
  const world = await startWorld(scripted(choosy), { clock, start: (options) => startGateway({ ...options, metrics }) });
  await world.drop(ACCOUNT, 'good.xml', invoice({ id: 'GOOD-1' }));
  await world.drop(ACCOUNT, 'bad.xml', invoice({ id: 'BAD-1' }));
  await world.drop(ACCOUNT, 'none.xml', 'no document');
  await world.inTime('all to end', async () => (await world.count('pending')) === 0);
  await eventually(async () => {
    clock.advance(1_000);
    const measured = await metrics.measured();
    const lines = (name: string): Promise<string[]> => linesOf(measured, name);
    expect(await lines('dropgate_items_taken_total')).toEqual(['dropgate_items_taken_total 3']);
    expect(await lines('dropgate_items_ended_total')).toContain('dropgate_items_ended_total{stage="refused"} 2');
    expect(await lines('dropgate_receipts_total')).toContain('dropgate_receipts_total{stage="accepted"} 1');
    expect(await lines('dropgate_items')).toEqual([
      'dropgate_items{state="pending"} 0',
      'dropgate_items{state="accepted"} 1',
      'dropgate_items{state="refused"} 2',
      'dropgate_items{state="held"} 0',
      'dropgate_items{state="cancelled"} 0',
    ]);
    expect(await lines('dropgate_items_dropped')).toEqual(['dropgate_items_dropped 3']);
    const rules = await lines('dropgate_refusals_total');
    expect(rules).toContain('dropgate_refusals_total{rule="BR-CO-15"} 1');
    // It is no name of a rule.
    expect(rules).toContain('dropgate_refusals_total{rule="other"} 1');
    expect(await lines('dropgate_submit_seconds_count')).toContain('dropgate_submit_seconds_count{stage="accepted"} 1');
  });
  const text = await metricsText([await metrics.measured()]);
  for (const chosen of [ACCOUNT, 'GOOD-1', 'good.xml', 'erp']) expect(text).not.toContain(chosen);
});

it('balances at any moment: dropped is accepted, refused, held, cancelled and pending together', async () => {
  const world = await startWorld(scripted(choosy));
  const files = Array.from(
    { length: 120 },
    (_, at) => [`${at}.xml`, Buffer.from(invoice({ id: `${at % 3 ? 'GOOD' : 'BAD'}-${at}` }))] as const,
  );
  const seen: Census[] = [];
  const look = (): Promise<void> => world.administer(async ({ ledger, clock }) => void seen.push(await takeCensus(ledger, clock.now())));
  let isDropped = false;
  await look();
  const dropping = world.dropAll(ACCOUNT, files).finally(() => {
    isDropped = true;
  });
  while (!isDropped) await look();
  await dropping;
  await world.inTime('all to end', async () => {
    await look();
    return seen.at(-1)?.items.get('pending') === undefined;
  });
  for (const census of seen) expect(sumOf(census)).toBe(census.dropped);
  expect(new Set(seen.map(({ dropped }) => dropped)).size).toBeGreaterThan(2);
  expect(seen.at(-1)).toMatchObject({
    dropped: 120,
    items: new Map([
      ['accepted', 80],
      ['refused', 40],
    ]),
  });
});

it('leaves out what cannot be read, and says so', async () => {
  const clock = manualClock();
  const metrics = new Metrics(clock);
  let isReadable = true;
  metrics.read({ dropgate_things: 'Things.' }, async () => {
    if (!isReadable) throw new Error('no');
    return { dropgate_things: 7 };
  });
  expect(await linesOf(await metrics.measured(), 'dropgate_things')).toEqual(['dropgate_things 7']);
  isReadable = false;
  // It was read in this second.
  expect(await linesOf(await metrics.measured(), 'dropgate_things')).toEqual(['dropgate_things 7']);
  clock.advance(1_000);
  const measured = await metrics.measured();
  expect(await linesOf(measured, 'dropgate_things')).toEqual([]);
  expect(await linesOf(await metrics.measured(), 'dropgate_readings_failed_total')).toEqual(['dropgate_readings_failed_total 1']);
});
