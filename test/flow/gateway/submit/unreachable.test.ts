// A receiver that is certainly not registered is told at once, where the account wants that; in any other case it is looked up again.
import { expect, it } from 'vitest';
import type { Receiver } from '#contract/addresses.ts';
import { dnsNameOf } from '#core/network/identifiers.ts';
import { changeAccount } from '#gateway/operate/account-rules.ts';
import { BUYER, invoice } from '../../../support/documents.ts';
import { INVOICES, startSellerBehindHttp, ZONE } from '../../../support/network.ts';
import { obliging, type Reply, refusal, type Seen } from '../../../support/scripted-service.ts';
import { given, scripted } from '../../../support/world/services.ts';
import { startWorld, type World } from '../../../support/world/world.ts';

const ACCOUNT = 'acme-ab';
const NOBODY = '0208:0123456749';
const isQuestion = ({ path }: Seen): boolean => path.includes('/receivers/');
const answer = (told: Partial<Receiver>): Reply => ({
  status: 200,
  body: {
    status: 'success',
    data: { receiver: NOBODY, canReceive: 'no', reason: `The receiver ${NOBODY} is not registered.`, takes: [], meant: null, ...told },
  },
});

/** A world whose service knows no receiver; what it answers when it is asked about one stands in the file's name. */
async function start(atOnce: boolean, replies: Readonly<Record<string, Reply>>): Promise<World & { asked: string[] }> {
  const asked: string[] = [];
  const world = await startWorld(
    scripted((seen) => {
      if (isQuestion(seen)) {
        asked.push(decodeURIComponent(seen.path));
        return replies[seen.path.split('0000000000').at(-1) ?? ''] ?? { status: 404 };
      }
      return seen.method === 'POST' ? refusal(422, 'E_PEPPOL_PARTICIPANT_SMP_LOOKUP') : obliging(seen);
    }),
  );
  await world.administer((on) => changeAccount(on, ACCOUNT, { unreachable: atOnce ? 'at-once' : null }));
  await world.restart();
  return Object.assign(world, { asked });
}
const receiverOf = (end: string): string => `0007:0000000000${end}`;
const drop = (world: World, end: string): Promise<unknown> =>
  world.drop(ACCOUNT, `${end}.xml`, invoice({ id: end, receiver: receiverOf(end) }));

// biome-ignore format: one row, one answer
const ANSWERS: Readonly<Record<string, Reply>> = {
  no:       answer({}),
  meant:    answer({ meant: '9925:be0123456749' }),
  away:     answer({ canReceive: 'unknown', reason: 'The SMP of the receiver cannot be reached.' }),
  yes:      answer({ canReceive: 'yes', takes: [{ family: 'Order', profiles: ['order'] }] }),
  broken:   { status: 500 },
  nonsense: { status: 200, body: 'nonsense' },
};

it('an account that wants it is told at once of a certain no, and of nothing else', async () => {
  const world = await start(true, ANSWERS);
  for (const [end, sentence] of [
    ['no', 'Correct the address, or ask the receiver to register, and drop the document again'],
    ['meant', 'Probably 9925:be0123456749 was meant, which can receive: correct the address, and drop the document again'],
  ] as const) {
    await drop(world, end);
    const receipt = await world.receipt(ACCOUNT, `${end}.xml`, 'refused');
    expect(receipt).toMatchObject({ code: 'receiver-unreachable', action: 'fix', message: expect.stringContaining(sentence) });
    expect(receipt).toMatchObject({
      message: expect.stringContaining('is not registered.'),
      error: { type: 'E_PEPPOL_PARTICIPANT_SMP_LOOKUP' },
    });
    expect(world.asked.at(-1)).toBe(`/network/${ACCOUNT}/receivers/${receiverOf(end)}`);
  }
  for (const end of ['away', 'yes', 'broken', 'nonsense']) {
    await drop(world, end);
    expect(await world.receipt(ACCOUNT, `${end}.xml`, 'delayed'), end).toMatchObject({ code: 'receiver-unknown', action: 'wait' });
  }
});

it('a service that does not have the question is asked once in ten minutes, and what it does not know is looked up again', async () => {
  const world = await start(true, {});
  await drop(world, 'first');
  expect(await world.receipt(ACCOUNT, 'first.xml', 'delayed')).toMatchObject({ code: 'receiver-unknown' });
  await drop(world, 'second');
  expect(await world.receipt(ACCOUNT, 'second.xml', 'delayed')).toMatchObject({ code: 'receiver-unknown' });
  expect(world.asked).toHaveLength(1);
});

it('any other account is told as before, and nobody is asked', async () => {
  const world = await start(false, { no: answer({}) });
  await drop(world, 'no');
  expect(await world.receipt(ACCOUNT, 'no.xml', 'delayed')).toMatchObject({ code: 'receiver-unknown' });
  expect(world.asked).toEqual([]);
});

it('a core on the network says so of a receiver that is registered nowhere, and names whom was meant; while DNS is away the document is taken', async () => {
  const { network, core } = await startSellerBehindHttp();
  network.smp.participants.set('9925:be0123456749', [INVOICES]);
  network.answers.set(dnsNameOf(BUYER, ZONE), 'servfail');
  const world = await startWorld(given(core.core), { accounts: { seller: core.seller.gatewayKey } });
  await world.administer((on) => changeAccount(on, 'seller', { unreachable: 'at-once' }));
  await world.restart();
  await world.drop('seller', 'nobody.xml', invoice({ id: 'nobody', receiver: NOBODY }));
  const receipt = await world.receipt('seller', 'nobody.xml', 'refused');
  expect(receipt).toMatchObject({
    code: 'receiver-unreachable',
    receiver: NOBODY,
    message: expect.stringContaining('Probably 9925:be0123456749 was meant'),
  });
  expect(await world.attempts()).toHaveLength(1);
  await world.drop('seller', 'away.xml', invoice({ id: 'away' }));
  await world.receipt('seller', 'away.xml', 'accepted');
});
