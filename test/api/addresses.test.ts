// Whether a receiver can receive, and whether an account may send from an address: endpoints of ours beside the specification.
import { expect, it } from 'vitest';
import { useService } from '../support/service.ts';

const service = useService();
const ask = (address: string, call = {}, as = 'receivers') =>
  service.call(`/network/${service.seller.accountRegNo}/${as}/${encodeURIComponent(address)}`, call);
const askOfSender = (sender: string, call = {}) => ask(sender, call, 'senders');

it('tells families and profiles of one that can', async () => {
  const answer = await ask(service.buyer.participant);
  expect(answer).toMatchObject({
    status: 200,
    json: { status: 'success', data: { receiver: service.buyer.participant, canReceive: 'yes', meant: null } },
  });
  expect(answer.json.data.takes).toContainEqual({ family: 'Invoice', profiles: expect.arrayContaining(['peppol-billing']) });
});

it('tells why one cannot', async () => {
  const answer = await ask('0088:1234567890123');
  expect(answer).toMatchObject({
    status: 200,
    json: { data: { canReceive: 'no', reason: expect.stringContaining('check digit'), takes: [] } },
  });
});

it('tells that an account may send from its own address, and why not from one of another', async () => {
  const { seller, buyer } = service;
  expect(await askOfSender(seller.participant)).toMatchObject({
    status: 200,
    json: { status: 'success', data: { sender: seller.participant, maySend: true, reason: null } },
  });
  const { status, json } = await askOfSender(buyer.participant.toUpperCase());
  expect([status, json.data]).toEqual([
    200,
    {
      sender: buyer.participant,
      maySend: false,
      reason: expect.stringMatching(/^The sender \S+ is no participant of this account: .* The account has /),
    },
  ]);
});

it.each(['nonsense', '088:1', '0088:', '0088:with space', ':', '0088:é'])('%j is no address', async (address) => {
  expect((await ask(address)).status).toBe(400);
  expect((await askOfSender(address)).status).toBe(400);
});

it('tells nothing without the key of the account', async () => {
  expect((await ask(service.buyer.participant, { key: null })).status).toBe(401);
  expect((await ask(service.buyer.participant, { key: service.buyer.key })).status).toBe(401);
  expect((await askOfSender(service.seller.participant, { key: null })).status).toBe(401);
  expect((await askOfSender(service.seller.participant, { key: service.buyer.key })).status).toBe(401);
});
