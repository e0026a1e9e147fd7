// A receiver that was found is remembered for what it was found to take, and for nothing else.
import { beforeEach, expect, it } from 'vitest';
import type { TestCore } from '../../../support/core.ts';
import { BUYER, documentOf, invoice } from '../../../support/documents.ts';
import { INVOICES, startSellerBehindHttp, type TestNetwork } from '../../../support/network.ts';

const OUT = '/transaction/seller';
const UNREGISTERED = '0088:5790000435968';

let network: TestNetwork;

let core: TestCore;
beforeEach(async () => {
  ({ network, core } = await startSellerBehindHttp());
  expect((await core.call(`${OUT}/invoices/outgoing`, { body: invoice({ id: 'found' }) })).status).toBe(200);
});

it.each([
  ['another kind of document', 'creditnotes', () => documentOf('CreditNote')],
  ['another receiver', 'invoices', () => invoice({ receiver: UNREGISTERED })],
])('%s is looked up by itself, and refused', async (_, segment, document) => {
  const answer = await core.call(`${OUT}/${segment}/outgoing`, { body: document() });
  expect([answer.status, answer.json.type]).toEqual([422, 'E_PEPPOL_PARTICIPANT_SMP_LOOKUP']);
});

it('for ten minutes, to the millisecond', async () => {
  const found = (): number => network.dns.asked.length;
  network.smp.participants.set(BUYER, [{ ...INVOICES, processes: ['urn:other'] }]);
  network.clock.advance(10 * 60_000 - 1);
  expect((await core.call(`${OUT}/invoices/outgoing`, { body: invoice({ id: 'in time' }) })).status).toBe(200);
  expect(found()).toBe(1);
  network.clock.advance(1);
  expect((await core.call(`${OUT}/invoices/outgoing`, { body: invoice({ id: 'late' }) })).status).toBe(422);
  expect(found()).toBe(2);
});
