// How long documents take into the outbox, as the metrics tell it: from when the service took them, as far as their ids say when that was.
import { v7 } from 'uuid';
import { expect, it } from 'vitest';
import { startGateway } from '#gateway/gateway.ts';
import { Metrics, metricsText } from '#runtime/metrics.ts';
import { invoice } from '../../../support/documents.ts';
import { mailbox } from '../../../support/mailbox.ts';
import { until } from '../../../support/until.ts';
import { scripted } from '../../../support/world/services.ts';
import { startWorld } from '../../../support/world/world.ts';

it('from the moment that its id tells; of one that tells none, of a time to come and of a later version, from the first look', async () => {
  const box = mailbox();
  const metrics = new Metrics();
  const world = await startWorld(scripted(box.script), {
    accounts: { 'beta-as': 'key-of-beta' },
    hinted: true,
    start: (options) => startGateway({ ...options, metrics }),
  });
  await until('the first sweep', () => box.reads() >= 1);
  const before = box.put(invoice({ id: 'before' }));
  world.gateway().ring('beta-as', 'Invoice');
  await until('the first mark', () => box.isRead(before));
  const text = async (): Promise<string> => metricsText([await metrics.measured()]);
  const seconds = async (): Promise<number> => Number(/^dropgate_receive_seconds_sum (.*)$/m.exec(await text())?.[1]);
  const first = await seconds();
  let published = world.files('beta-as', 'outbox').length;
  const after = async (integrationId: string): Promise<number> => {
    world.gateway().ring('beta-as', 'Invoice', integrationId);
    published++;
    await until('the outbox file', () => world.files('beta-as', 'outbox').length === published);
    await until('the count', async () => (await text()).includes(`dropgate_receive_seconds_count ${published}\n`));
    return (await seconds()) - first;
  };
  const told = v7({ msecs: world.clock.now() - 90_000 });
  expect(await after(box.put(invoice({ id: 'told' }), told))).toBe(90);
  box.replace(told, invoice({ id: 'told', note: 'another version' }));
  expect(await after(told)).toBe(90);
  expect(await after(box.put(invoice({ id: 'untold' })))).toBe(90);
  expect(await after(box.put(invoice({ id: 'to come' }), v7({ msecs: world.clock.now() + 90_000 })))).toBe(90);
});
