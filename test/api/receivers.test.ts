// Whether a receiver can receive: an endpoint of ours beside the specification.
import { expect, it } from 'vitest';
import { useService } from '../support/service.ts';

const service = useService();
const ask = (receiver: string, call = {}) =>
  service.call(`/network/${service.seller.accountRegNo}/receivers/${encodeURIComponent(receiver)}`, call);

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

it.each(['nonsense', '088:1', '0088:', '0088:with space', ':', '0088:é'])('%j is no address', async (receiver) => {
  expect((await ask(receiver)).status).toBe(400);
});

it('tells nothing without the key of the account', async () => {
  expect((await ask(service.buyer.participant, { key: null })).status).toBe(401);
  expect((await ask(service.buyer.participant, { key: service.buyer.key })).status).toBe(401);
});
