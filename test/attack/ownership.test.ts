// One tenant who speaks as another, or puts something else in the place of what another has sent.
import { beforeEach, describe, expect, it } from 'vitest';
import { addAccount, addParticipant, addPartner, removeParticipant } from '#core/operate/administration.ts';
import { handOver } from '../support/access-point.ts';
import { coreOfTest, type TestCore } from '../support/core.ts';
import { BUYER, invoice, SELLER } from '../support/documents.ts';
import { startSellerBehindHttp } from '../support/network.ts';
import { envelopeOf } from '../support/network-answers.ts';

const OUT = '/transaction/seller/invoices/outgoing';

describe('in the test environment', () => {
  let core: TestCore;
  beforeEach(async () => {
    core = await coreOfTest();
  });
  const incoming = (key: string) => core.call('/transaction/buyer/invoices/incoming', { key });

  it('an account without addresses that a partner made for itself sends as nobody, and receives nothing', async () => {
    const { apiKey } = await addPartner(core.administration, { partnerRegNo: 'firm', name: 'Firm' });
    const json = { key: apiKey, type: 'application/json' };
    expect((await core.call('/partner/firm/account', { ...json, body: '{"accountRegNo":"child","name":"Child"}' })).status).toBe(200);
    const asked = await core.call('/token/firm', { ...json, body: '{"actingAs":"parent","forChildRegNo":"child"}' });
    const authorization = { key: null, headers: { authorization: `Bearer ${asked.json.access_token}` } };
    for (const direction of ['outgoing', 'incoming']) {
      const answer = await core.call(`/transaction/child/invoices/${direction}`, { ...authorization, body: invoice() });
      expect(answer).toMatchObject({ status: 422, json: { type: 'E_VALIDATION' } });
      expect(answer.text).not.toContain('integrationId');
    }
    expect((await incoming(core.buyer.apiKey)).status).toBe(204);
  });

  it('what another account has sent stays as it is, whoever has its address now, with overwrite and without', async () => {
    const sent = await core.call(OUT, { body: invoice({ note: 'mine' }) });
    const other = await addAccount(core.administration, { accountRegNo: 'other', name: 'Other', participants: [] });
    await removeParticipant(core.administration, 'seller', SELLER);
    await addParticipant(core.administration, 'other', SELLER);
    for (const query of ['', '?overwrite=true']) {
      const body = invoice({ note: 'theirs' });
      const answer = await core.call(`/transaction/other/invoices/outgoing${query}`, { key: other.apiKey, body });
      expect(answer).toMatchObject({ status: 422, json: { type: 'E_VALIDATION' } });
      expect(answer.text).not.toContain(sent.json.data.integrationId);
    }
    const { json } = await incoming(core.buyer.apiKey);
    expect(json.data).toHaveLength(1);
    expect(JSON.stringify(json)).not.toContain('theirs');
    expect((await core.call('/transaction/other/invoices/outgoing', { key: other.apiKey })).status).toBe(204);
  });
});

describe('a document is replaced only by the way that it came', () => {
  const FRIEND = BUYER;
  let core: TestCore;
  let friend: string;
  let envelopes = 0;
  beforeEach(async () => {
    ({ core } = await startSellerBehindHttp());
    friend = (await addAccount(core.administration, { accountRegNo: 'friend', name: 'Friend', participants: [FRIEND] })).apiKey;
  });
  const bill = (note: string) => invoice({ sender: FRIEND, receiver: SELLER, note });

  /** Each puts an invoice 1001 of the friend among the seller's incoming ones. */
  const WAYS: Readonly<Record<string, (note: string) => Promise<{ status: number; text: string }>>> = {
    sent: (note) => core.call('/transaction/friend/invoices/outgoing?overwrite=true', { key: friend, body: bill(note) }),
    posted: (note) => core.call('/transaction/seller/invoices/incoming?overwrite=true', { body: bill(note) }),
    async carried(note) {
      const between = { instanceId: `envelope-${envelopes++}`, sender: FRIEND, receiver: SELLER };
      const response = await handOver(core.core.url, envelopeOf(bill(note), between));
      return { status: response.status, text: await response.text() };
    },
  };
  const NAMES = Object.keys(WAYS);
  const bring = async (way: string, note: string) => (await WAYS[way]?.(note)) ?? { status: 0, text: '' };
  const received = async () => (await core.call('/transaction/seller/invoices/incoming')).text;

  it.each(NAMES.flatMap((first) => NAMES.map((second) => [first, second] as const)))('%s first, then %s', async (first, second) => {
    expect((await bring(first, 'the first')).status).toBe(200);
    const integrationId = /"integrationId":"([^"]+)"/.exec(await received())?.[1] ?? 'none';
    expect(integrationId).not.toBe('none');
    const answer = await bring(second, 'the second');
    expect(answer.status).toBe(first === second ? 200 : 422);
    if (first !== second) expect(answer.text).not.toContain(integrationId);
    expect(await received()).toContain(first === second ? 'the second' : 'the first');
  });
});
