// Documents that need more than one request each, at a service that takes few in a minute: each gets them together, or none. Otherwise all of
// them would spend what there is on first requests, minute for minute, and none would come to its second.
import { expect, it, vi } from 'vitest';
import { invoice } from '../../../support/documents.ts';
import { LONG_MS } from '../../../support/patience.ts';
import { FAULTS } from '../../../support/stand-in/manners.ts';
import type { StandIn } from '../../../support/stand-in/stand-in.ts';
import { standIn } from '../../../support/world/services.ts';
import { startWorld, type World } from '../../../support/world/world.ts';

// Hours of the clock, step by step.
vi.setConfig({ testTimeout: LONG_MS });

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

const numbersOf = (documents: number): string[] => Array.from({ length: documents }, (_, at) => `O-${at}`);
const receiver = (at: number): string => `0088:735000000${String(at).padStart(4, '0')}`;
const fileOf = (id: string, at: number): [name: string, bytes: Uint8Array] => [`${id}.xml`, invoice({ id, receiver: receiver(at) })];

const start = (requests: number, told = true): Promise<World<StandIn>> =>
  startWorld(standIn({ limit: { requests, windowMs: MINUTE, told } }));

it.each([
  { requests: 20, told: true, documents: 60, withinMs: 30 * MINUTE },
  { requests: 30, told: false, documents: 60, withinMs: 30 * MINUTE },
  { requests: 4, told: true, documents: 8, withinMs: 30 * MINUTE },
])('after an outage $requests requests a minute are enough, with limits told: $told', async ({ requests, told, documents, withinMs }) => {
  const world = await start(requests, told);
  const numbers = numbersOf(documents);
  // Of every other one the service has taken the document before it died, and nobody was told.
  world.service.manners.fault = ({ method, body }) => {
    const number = Number(/<cbc:ID>O-(\d+)</.exec(body.toString())?.[1]);
    return method === 'POST' && number % 2 === 0 ? FAULTS.lostAnswer : FAULTS.down;
  };
  await world.dropAll('acme-ab', numbers.map(fileOf));
  // After an hour only a look tells whether to post once more.
  await world.pass(90 * MINUTE, 5 * MINUTE);
  expect(await world.count('pending')).toBe(documents);
  world.service.manners.fault = () => undefined;
  await world.passUntilDone(withinMs, 5 * SECOND);
  expect(await world.count('accepted')).toBe(documents);
  expect(world.service.tally('acme-ab', numbers)).toEqual({ lost: [], twice: [] });
});

it('documents whose numbers are taken are told so', async () => {
  const world = await start(30);
  const numbers = numbersOf(60);
  const { holding } = world.service;
  for (const [at, id] of numbers.entries()) {
    const other = invoice({ id, receiver: receiver(at), attachmentBytes: 10 });
    holding.put({ accountRegNo: 'acme-ab', direction: 'outgoing' }, holding.identify(other), other);
  }
  await world.dropAll('acme-ab', numbers.map(fileOf));
  await world.passUntilDone(15 * MINUTE, 5 * SECOND);
  expect(await world.count('refused')).toBe(numbers.length);
});

it('a look at one number that many receivers have goes on where it was', async () => {
  const world = await start(10);
  const { service } = world;
  const one = (at: number): [name: string, bytes: Uint8Array] => [`${at}.xml`, invoice({ id: 'C-1', receiver: receiver(at) })];
  await world.dropAll(
    'acme-ab',
    Array.from({ length: 15 }, (_, at) => one(at)),
  );
  await world.passUntilDone(30 * MINUTE, 5 * SECOND);
  let left = 1;
  service.manners.fault = ({ method }) => (method === 'POST' && left-- > 0 ? FAULTS.lostRequest : undefined);
  await world.drop('acme-ab', ...one(99));
  while (left > 0) await world.pass(SECOND, SECOND);
  await world.restart();
  await world.passUntilDone(30 * MINUTE, 5 * SECOND);
  expect(await world.count('accepted')).toBe(16);
});
