// Which message an answer from the network is about, and that it counts once, however many come at the same moment.
import { beforeEach, describe, expect, it } from 'vitest';
import { selectResponses } from '#core/ledger/receptions.ts';
import { type ReceiveParts, receiveEnvelope } from '#core/network/receive.ts';
import { openQueue } from '#engines/open.ts';
import { systemRandom } from '#runtime/clock.ts';
import { type HttpAccessPoint, handOver } from '../../../support/access-point.ts';
import { IN_PLACE, silent, type TestCore } from '../../../support/core.ts';
import { BUYER, invoice, SELLER } from '../../../support/documents.ts';
import { INVOICES, startSellerBehindHttp, type TestNetwork } from '../../../support/network.ts';
import { answerDocument, envelopeOf, INVOICE_RESPONSE, MLR, MLS } from '../../../support/network-answers.ts';

const OUT = '/transaction/seller/invoices/outgoing';
const OTHER = '0088:5790000435968';
const PROVIDER = '0242:000123';

let network: TestNetwork;
let ap: HttpAccessPoint;
let core: TestCore;
beforeEach(async () => {
  ({ network, ap, core } = await startSellerBehindHttp());
});

/** Sends one, and resolves with its identity and the name of its envelope. */
async function send(options = {}, query = ''): Promise<{ readonly id: string; readonly envelope: string }> {
  const before = ap.submissions.length;
  const { json } = await core.call(OUT + query, { body: invoice(options) });
  return { id: json.data.integrationId, envelope: await network.wait('the hand-over', () => ap.submissions[before]) };
}
const statusOf = async (id: string): Promise<string> =>
  (await core.call(`${OUT}/status?integrationId=${id}&includeRead=true`)).json[0].metadata.status;
const response = (changes: { sender: string; reference: string; customization: string; code: string }, instanceId = 'a-response') =>
  envelopeOf(answerDocument(changes), { instanceId, sender: changes.sender, receiver: SELLER });

describe('a response', () => {
  it.each([
    ['a status of the provider', MLS, PROVIDER],
    ['a response of the receiver', MLR, BUYER],
  ])('to an envelope whose document was replaced since says nothing about the later version: %s', async (_, customization, sender) => {
    const first = await send();
    const second = await send({ note: 'corrected' }, '?overwrite=true');
    expect(second.id).toBe(first.id);
    await handOver(core.core.url, response({ sender, customization, reference: first.envelope, code: 'RE' }));
    expect(await statusOf(first.id)).toBe('queued');
    await handOver(core.core.url, response({ sender, customization, reference: second.envelope, code: 'AP' }, 'another'));
    expect(await statusOf(first.id)).toBe('delivered');
  });

  it('to a number that several receivers have is about the one whom it comes from', async () => {
    network.smp.participants.set(OTHER, [INVOICES]);
    const ours = await send();
    const others = await send({ receiver: OTHER });
    await handOver(core.core.url, response({ sender: BUYER, customization: INVOICE_RESPONSE, reference: '1001', code: 'RE' }));
    expect([await statusOf(ours.id), await statusOf(others.id)]).toEqual(['rejected', 'queued']);
  });
});

describe('the same envelope twice at one moment', () => {
  const parts = (incoming: ReceiveParts['incoming']): ReceiveParts => ({
    ledger: core.administration.ledger,
    clock: network.clock,
    random: systemRandom,
    log: silent,
    queue: openQueue(network.clock, silent),
    examiner: IN_PLACE,
    incoming,
    changed: () => undefined,
  });

  it('is taken once: a document arrives once', async () => {
    const arrived: string[] = [];
    const given = parts((accountRegNo) => arrived.push(accountRegNo));
    const bill = envelopeOf(invoice({ sender: BUYER, receiver: SELLER }), { instanceId: 'a-bill', sender: BUYER, receiver: SELLER });
    const told = await Promise.all([receiveEnvelope(given, bill), receiveEnvelope(given, bill)]);
    expect([told.map(({ reception }) => reception).sort(), arrived]).toEqual([['known', 'taken'], ['seller']]);
  });

  it('is taken once: an answer is kept once', async () => {
    const { envelope } = await send();
    const given = parts(() => undefined);
    const yes = response({ sender: PROVIDER, customization: MLS, reference: envelope, code: 'AP' });
    const told = await Promise.all([receiveEnvelope(given, yes), receiveEnvelope(given, yes)]);
    expect(told.map(({ reception }) => reception).sort()).toEqual(['known', 'taken']);
    expect((await selectResponses(core.administration.ledger.read, 1)).map(({ code }) => code)).toEqual(['AP']);
  });
});
