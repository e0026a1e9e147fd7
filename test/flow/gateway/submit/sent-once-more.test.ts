// Documents that may be sent once more: after a no of the network, or by a person. Whoever else has done so meanwhile, they go once.
import { expect, it } from 'vitest';
import { resendItem } from '#gateway/operate/resend.ts';
import { invoice } from '../../../support/documents.ts';
import { refusal } from '../../../support/scripted-service.ts';
import { FAULTS } from '../../../support/stand-in/manners.ts';
import type { StandIn } from '../../../support/stand-in/stand-in.ts';
import { standIn } from '../../../support/world/services.ts';
import { startWorld, type World } from '../../../support/world/world.ts';

const ACCOUNT = 'acme-ab';
const start = (): Promise<World<StandIn>> => startWorld(standIn(), { hinted: false });

/** Long enough for a submit and a look at the statuses. */
const settle = (world: World<StandIn>): Promise<void> => world.pass(25 * 60_000, 30_000);

const takenOf = ({ service }: World<StandIn>): number => service.holding.all.reduce((sum, { taken }) => sum + taken, 0);

function tell({ service }: World<StandIn>, status: string): void {
  for (const held of service.holding.all) held.status = status;
}

/** Dropped, and failed in the network. */
async function failed(world: World<StandIn>): Promise<string> {
  const item = await world.drop(ACCOUNT, 'first.xml', invoice());
  await settle(world);
  tell(world, 'failed');
  await settle(world);
  return item;
}

it('a failed one that its dropper has dropped again, as its receipt says, is not sent again by a person as well', async () => {
  const world = await start();
  const item = await failed(world);
  await world.drop(ACCOUNT, 'second.xml', invoice());
  tell(world, 'queued');
  await settle(world);
  tell(world, 'delivered');
  await settle(world);
  expect(takenOf(world)).toBe(2);
  await world.operate((on) => resendItem(on, item));
  await settle(world);
  expect(takenOf(world)).toBe(2);
});

it('a failed one that two persons send again is sent once more', async () => {
  const world = await start();
  const item = await failed(world);
  for (let person = 0; person < 2; person++) await world.operate((on) => resendItem(on, item));
  await settle(world);
  expect(takenOf(world)).toBe(2);
});

it('a refused one that its dropper has dropped again is not sent by a person as well', async () => {
  const world = await start();
  world.service.manners.fault = ({ method }) =>
    method === 'POST' ? { does: false, answers: refusal(422, 'E_VALIDATION', { details: [] }) } : undefined;
  const item = await world.drop(ACCOUNT, 'first.xml', invoice());
  await settle(world);
  world.service.manners.fault = () => undefined;
  await world.drop(ACCOUNT, 'second.xml', invoice());
  await settle(world);
  await world.operate((on) => resendItem(on, item));
  await settle(world);
  expect(takenOf(world)).toBe(1);
});

it('a repaired one whose first try was lost is looked for before it goes under another key, when the no to the one before is heard between', async () => {
  const world = await start();
  const { service } = world;
  await world.drop(ACCOUNT, 'first.xml', invoice());
  await settle(world);
  // A service that takes the same number again after that.
  tell(world, 'rejected');
  service.manners.refusesDuplicates = false;
  service.manners.fault = ({ method }) => (method === 'POST' ? FAULTS.lostAnswer : undefined);
  await world.drop(ACCOUNT, 'second.xml', invoice({ note: 'repaired' }));
  await world.pass(1_000, 1_000);
  service.manners.fault = () => undefined;
  world.gateway().ringStatus(ACCOUNT, 'Invoice');
  await world.pass(2_000, 500);
  expect(world.files(ACCOUNT, 'receipts').join()).toContain('.rejected.');
  await settle(world);
  expect(await world.count('accepted')).toBe(2);
  expect(takenOf(world)).toBe(2);
});
