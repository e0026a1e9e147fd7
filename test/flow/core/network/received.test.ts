// What comes from the network: documents by HTTP and by folder, and answers to messages of ours.
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { openEnvelope } from '#core/examination/opened-envelope.ts';
import { selectResponses } from '#core/ledger/receptions.ts';
import { addAccount, updateCoreAccount } from '#core/operate/administration.ts';
import { CBC } from '#ubl/tree.ts';
import { AP_TOKEN, type HttpAccessPoint, handOver, putEnvelope, startHttpAccessPoint } from '../../../support/access-point.ts';
import type { TestCore } from '../../../support/core.ts';
import { BUYER, invoice, SELLER } from '../../../support/documents.ts';
import { startNetwork, type TestNetwork } from '../../../support/network.ts';
import { answerDocument, type Between, envelopeOf, INVOICE_RESPONSE, MLR, MLS } from '../../../support/network-answers.ts';
import { until } from '../../../support/until.ts';
import { countRows } from '../../../support/world/ledger-rows.ts';

const OUT = '/transaction/seller/invoices/outgoing';
const IN = '/transaction/seller/invoices/incoming';
const ID = '7f0a6b7e-0000-4000-8000-000000000001';

let network: TestNetwork;
let ap: HttpAccessPoint;
let core: TestCore;
let folder: string;
beforeEach(async () => {
  network = await startNetwork();
  ap = await startHttpAccessPoint();
  folder = mkdtempSync(join(tmpdir(), 'dropgate-ap-'));
  onTestFinished(async () => {
    await network[Symbol.asyncDispose]();
    await ap[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });
});

const byHttp = async () => (core = await network.startCore('seller', { accessPoint: 'http', url: ap.url, token: AP_TOKEN }));
const byFolder = async () => (core = await network.startCore('seller', { accessPoint: 'folder', folder }));

const envelope = (document: Uint8Array, changes: Partial<Between> = {}): Uint8Array =>
  envelopeOf(document, { instanceId: ID, sender: BUYER, receiver: SELLER, ...changes });
/** The buyer bills the seller, for once. */
const bill = (options = {}) => invoice({ sender: BUYER, receiver: SELLER, ...options });
const received = async () => (await core.call(IN)).json?.data ?? [];

describe('an envelope', () => {
  it('gives back the very bytes of the document in it', () => {
    const document = bill();
    const own = new TextDecoder()
      .decode(document)
      .replace(/^<\?xml.*\?>\s*/, '')
      .trim();
    expect(new TextDecoder().decode(openEnvelope(envelope(document)).document)).toBe(own);
  });

  it('gives back a document that stands by itself, also when its namespaces are declared on the envelope', () => {
    const text = new TextDecoder().decode(envelope(bill()));
    const outside = text
      .replace(` xmlns:cbc="${CBC}"`, '')
      .replace('<StandardBusinessDocument ', `<StandardBusinessDocument xmlns:cbc="${CBC}" `);
    const opened = openEnvelope(new TextEncoder().encode(outside));
    expect(new TextDecoder().decode(opened.document)).toContain(`xmlns:cbc="${CBC}"`);
    expect(opened.payload.tag).toBe('Invoice');
  });

  it.each([
    ['<Invoice/>', 'no StandardBusinessDocument'],
    [
      '<StandardBusinessDocument xmlns="http://www.unece.org/cefact/namespaces/StandardBusinessDocumentHeader"/>',
      'no StandardBusinessDocumentHeader',
    ],
    [new TextDecoder().decode(envelope(bill())).replace(ID, ''), 'InstanceIdentifier'],
    [
      new TextDecoder().decode(envelope(bill())).replace('Authority="iso6523-actorid-upis"', 'Authority="other"'),
      'Sender is no participant',
    ],
    [new TextDecoder().decode(envelope(bill())).replace('</StandardBusinessDocument>', '<a/></StandardBusinessDocument>'), 'one document'],
  ])('%# is refused when it is not what it should be', (text, reason) => {
    expect(() => openEnvelope(new TextEncoder().encode(text))).toThrow(reason);
  });
});

describe('receiving by HTTP', () => {
  beforeEach(byHttp);

  it('S006 becomes an incoming message of the receiver, once', async () => {
    const first = await handOver(core.core.url, envelope(bill()));
    expect([first.status, await first.json()]).toEqual([200, { status: 'success', data: { reception: 'taken' }, countryCodeC4: 'SE' }]);
    expect(await (await handOver(core.core.url, envelope(bill()))).json()).toMatchObject({ data: { reception: 'known' } });
    expect(await received()).toHaveLength(1);
    expect(core.arrivals).toEqual([['seller', 'Invoice']]);
    // The same bytes in a new envelope tell nothing new; other bytes replace.
    await handOver(core.core.url, envelope(bill(), { instanceId: 'another' }));
    expect(core.arrivals).toHaveLength(1);
    const versions = () => countRows(core.administration.ledger, 'message_contents');
    expect(await versions()).toBe(1);
    await handOver(core.core.url, envelope(bill({ note: 'corrected' }), { instanceId: 'a third' }));
    expect(await versions()).toBe(2);
  });

  it('takes a document that breaks rules: it is the receiver’s to judge', async () => {
    const broken = new TextDecoder().decode(bill()).replace(/<cbc:DocumentCurrencyCode>.*<\/cbc:DocumentCurrencyCode>/, '');
    expect((await handOver(core.core.url, envelope(new TextEncoder().encode(broken)))).status).toBe(200);
  });

  it.each([
    ['a wrong token', () => handOver(core.core.url, envelope(bill()), 'wrong'), 401],
    ['no envelope', () => handOver(core.core.url, bill()), 422],
    ['a receiver of another service', () => handOver(core.core.url, envelope(bill(), { receiver: BUYER })), 422],
    ['a root that is not taken', () => handOver(core.core.url, envelope(new TextEncoder().encode('<a/>'))), 422],
  ])('refuses %s', async (_, call, status) => {
    const answer = await call();
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ status: 'error' });
    expect(await received()).toEqual([]);
    // Nothing was recorded: a corrected one may come.
    expect(await countRows(core.administration.ledger, 'receptions')).toBe(0);
  });

  it('tells the access point the country of the receiver, which it reports: of the account, otherwise of its provider, again and again', async () => {
    const told = async (bytes: Uint8Array): Promise<unknown> => (await handOver(core.core.url, bytes)).json();
    expect(await told(envelope(bill()))).toMatchObject({ data: { reception: 'taken' }, countryCodeC4: 'SE' });
    await updateCoreAccount(core.administration, 'seller', { profile: { country: 'NO' } });
    expect(await told(envelope(bill()))).toMatchObject({ data: { reception: 'known' }, countryCodeC4: 'NO' });
    expect(await told(envelope(bill(), { instanceId: 'another' }))).toMatchObject({ countryCodeC4: 'NO' });
    const answer = answerDocument({ customization: MLS, code: 'AP', reference: 'unheard of' });
    const mls = envelope(answer, { instanceId: 'mls', sender: '0242:000123', receiver: '0242:000999' });
    expect(await told(mls)).toMatchObject({ countryCodeC4: 'SE' });
  });

  it.each([
    ['no envelope', bill()],
    ['a receiver of another service', envelope(bill(), { receiver: BUYER })],
    ['a root that is not taken', envelope(new TextEncoder().encode('<a/>'))],
  ])('one that waits for the answer is told not to come again with %s', async (_, bytes) => {
    const answer = await handOver(core.core.url, bytes, AP_TOKEN, '?mode=sync');
    expect([answer.status, await answer.json()]).toEqual([200, { status: 'error', retry: 'none', errorMessage: expect.any(String) }]);
    expect(await countRows(core.administration.ledger, 'receptions')).toBe(0);
  });

  it('what one that waits for the answer must bring again is no 200', async () => {
    const url = core.core.url;
    expect((await handOver(url, envelope(bill()), 'wrong', '?mode=sync')).status).toBe(401);
    expect((await handOver(url, '', AP_TOKEN, '?mode=sync')).status).toBe(400);
    expect((await handOver(url, envelope(bill()), AP_TOKEN, '?mode=async')).status).toBe(400);
    expect(await (await handOver(url, envelope(bill()), AP_TOKEN, '?mode=sync')).json()).toMatchObject({ data: { reception: 'taken' } });
  });

  it('without a token there is no such address', async () => {
    const open = await network.startCore('seller', { accessPoint: 'http', url: ap.url, token: null });
    expect((await handOver(open.core.url, envelope(bill()))).status).toBe(404);
  });
});

describe('receiving by folder', () => {
  it('takes what is there, at the start and later, and moves it away; what cannot be taken is refused with the reason', async () => {
    putEnvelope(folder, 'first.xml', envelope(bill()));
    await byFolder();
    await until('the first', async () => (await received()).length === 1);
    putEnvelope(folder, 'second.xml', envelope(bill({ id: '2' }), { instanceId: 'second' }));
    putEnvelope(folder, 'bad.xml', '<a/>');
    writeFileSync(join(folder, 'in', 'half.xml.tmp'), '<Sta');
    // What is no file of its own is left alone, wherever it leads.
    writeFileSync(join(folder, 'elsewhere'), envelope(bill({ id: '3' }), { instanceId: 'third' }));
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'in', 'a-link.xml'));
    await network.wait('the second', async () => (await received()).length === 2);
    await network.wait('the refusal', () => readdirSync(join(folder, 'in', 'refused')).length === 2);
    expect(readdirSync(join(folder, 'in')).sort()).toEqual(['a-link.xml', 'half.xml.tmp', 'refused', 'taken']);
    expect(readdirSync(join(folder, 'in', 'taken')).sort()).toEqual(['first.xml', 'second.xml']);
    expect(JSON.parse(readFileSync(join(folder, 'in', 'refused', 'bad.xml.json'), 'utf8')).reason).toContain('StandardBusinessDocument');
  });

  it('reads nothing that is too large, and keeps what it has taken for thirty days', async () => {
    putEnvelope(folder, 'first.xml', envelope(bill()));
    writeFileSync(join(folder, 'in', 'huge.xml'), '');
    truncateSync(join(folder, 'in', 'huge.xml'), 128 * 1024 * 1024 + 1);
    await byFolder();
    const kept = (into: string) => readdirSync(join(folder, 'in', into));
    await until('both are moved', () => kept('taken').length === 1 && kept('refused').length === 2);
    expect(JSON.parse(readFileSync(join(folder, 'in', 'refused', 'huge.xml.json'), 'utf8')).reason).toContain('has more than');
    const days = 24 * 60 * 60_000;
    network.clock.advance(29 * days);
    expect(kept('taken')).toEqual(['first.xml']);
    network.clock.advance(days);
    await network.wait('it is removed', () => kept('taken').length === 0, 60_000);
  });
});

describe('answers', () => {
  let integrationId: string;
  let instanceId: string;
  beforeEach(async () => {
    await byHttp();
    integrationId = (await core.call(OUT, { body: invoice() })).json.data.integrationId;
    instanceId = await network.wait('the hand-over', () => ap.submissions[0]);
  });
  const statusOf = async () => (await core.call(`${OUT}/status?integrationId=${integrationId}&includeRead=true`)).json[0].metadata;
  /** Those that are known to answer the only message. */
  const responses = () => selectResponses(core.administration.ledger.read, 1);
  const provider = '0242:000123';

  it.each([
    ['MLS AP', { customization: MLS, code: 'AP' }, provider, 'delivered'],
    ['MLS AB', { customization: MLS, code: 'AB' }, provider, 'delivered'],
    ['MLS RE', { customization: MLS, code: 'RE', reason: 'BR-CO-15 is broken' }, provider, 'rejected'],
    ['MLR AP', { customization: MLR, code: 'AP' }, BUYER, 'delivered'],
    ['MLR RE', { customization: MLR, code: 'RE' }, BUYER, 'rejected'],
  ])('S073 %s is matched to the message by its envelope', async (_, response, sender, status) => {
    const document = answerDocument({ ...response, reference: instanceId });
    expect((await handOver(core.core.url, envelope(document, { sender }))).status).toBe(200);
    expect(await statusOf()).toMatchObject({ status, ...('reason' in response && { reason: 'BR-CO-15 is broken' }) });
    expect(await responses()).toEqual([expect.objectContaining({ code: response.code })]);
    // Again changes nothing.
    await handOver(core.core.url, envelope(document, { sender }));
    expect(await responses()).toHaveLength(1);
  });

  it.each([
    ['IP', 'delivered'],
    ['PD', 'delivered'],
    ['RE', 'rejected'],
  ])('an invoice response %s is matched by the number of the invoice', async (code, status) => {
    await handOver(
      core.core.url,
      envelope(answerDocument({ customization: INVOICE_RESPONSE, code, reference: '1001', reason: 'because' })),
    );
    expect((await statusOf()).status).toBe(status);
  });

  it('the code that the access point tells waits for its document, whose words the status tells', async () => {
    Object.assign(ap.transactions.get(instanceId) ?? {}, { status: 'sent', mlsStatus: 'received_re' });
    await network.wait('sent', async () => (await statusOf()).status === 'sent');
    const document = answerDocument({ customization: MLS, code: 'RE', reference: instanceId, reason: 'because' });
    await handOver(core.core.url, envelope(document, { sender: provider }));
    const at = expect.stringMatching(/Z$/);
    expect(await statusOf()).toEqual({
      status: 'rejected',
      reason: 'because',
      answer: { kind: 'mls', code: 'RE', text: 'because', at, findings: [] },
    });
    expect(await responses()).toHaveLength(1);
  });

  it('a document that does not come within ten minutes is not waited for; a later one completes what is kept, and says nothing twice', async () => {
    Object.assign(ap.transactions.get(instanceId) ?? {}, { status: 'sent', mlsStatus: 'received_re' });
    const begunMs = network.clock.now();
    await network.wait('the rejection', async () => (await statusOf()).status === 'rejected', 30_000);
    expect(network.clock.now() - begunMs).toBeGreaterThanOrEqual(10 * 60_000);
    expect(await statusOf()).toMatchObject({ status: 'rejected', answer: { code: 'RE', text: null } });
    const late = answerDocument({ customization: MLS, code: 'RE', reference: instanceId, reason: 'because' });
    expect((await handOver(core.core.url, envelope(late, { sender: provider }))).status).toBe(200);
    expect(await statusOf()).toMatchObject({ status: 'rejected', answer: { code: 'RE', text: 'because' } });
    expect(await responses()).toHaveLength(1);
    // One that contradicts it is kept beside it.
    const other = answerDocument({ customization: MLS, code: 'AP', reference: instanceId });
    await handOver(core.core.url, envelope(other, { sender: provider, instanceId: 'other' }));
    expect(await statusOf()).toMatchObject({ status: 'rejected', answer: { code: 'RE' } });
    expect(await responses()).toHaveLength(2);
  });

  it('of places that are too many, and sentences that are too long, as much is kept as a receipt can tell', async () => {
    const lines = Array.from({ length: 200 }, (_, at) => [`/Invoice/cac:InvoiceLine[${at + 1}]`, 'x'.repeat(1_500)] as const);
    const document = answerDocument({ customization: MLS, code: 'RE', reference: instanceId, lines });
    expect((await handOver(core.core.url, envelope(document, { sender: provider }))).status).toBe(200);
    const { answer, reason } = await statusOf();
    expect([answer.findings.length, answer.findings[0].message.length, reason.length]).toEqual([100, 1_000, 1_000]);
  });

  it('a provider’s answer is addressed to our provider, which has no account here; nobody is asked any more', async () => {
    const document = answerDocument({ customization: MLS, code: 'AP', reference: instanceId });
    const answer = await handOver(core.core.url, envelope(document, { sender: provider, receiver: '0242:000999' }));
    expect(answer.status).toBe(200);
    expect((await statusOf()).status).toBe('delivered');
    expect(await core.transmissions()).toMatchObject([{ state: 'done', nextAttemptAt: null }]);
  });

  it('what was delivered stays delivered: a later rejection is kept, and changes no status', async () => {
    await handOver(
      core.core.url,
      envelope(answerDocument({ customization: MLS, code: 'AP', reference: instanceId }), { sender: provider }),
    );
    const late = answerDocument({ customization: INVOICE_RESPONSE, code: 'RE', reference: '1001' });
    await handOver(core.core.url, envelope(late, { instanceId: 'late' }));
    expect((await statusOf()).status).toBe('delivered');
    expect(await responses()).toHaveLength(2);
  });

  it.each([
    ['of nobody’s envelope', { customization: MLS, reference: 'unheard of' }, provider],
    ['by somebody else than the receiver', { customization: MLR, reference: '' }, '0088:5790000435968'],
    ['to a number that was never sent', { customization: INVOICE_RESPONSE, reference: '9999' }, BUYER],
    ['to an invoice, by somebody else than its receiver', { customization: INVOICE_RESPONSE, reference: '1001' }, '0088:5790000435968'],
    ['of a provider’s kind by a trading party, be it the receiver', { customization: MLS, reference: '' }, BUYER],
  ])('an answer %s is kept and changes nothing', async (_, response, sender) => {
    const document = answerDocument({ code: 'RE', ...response, reference: response.reference || instanceId });
    expect((await handOver(core.core.url, envelope(document, { sender }))).status).toBe(200);
    expect((await statusOf()).status).toBe('queued');
    expect([await countRows(core.administration.ledger, 'responses'), await responses()]).toEqual([1, []]);
  });

  it.each([
    ['to nobody’s address', BUYER],
    ['to another account of this core', '0007:5567321707'],
  ])('an answer of the receiver %s changes nothing', async (_, receiver) => {
    await addAccount(core.administration, { accountRegNo: 'third', name: 'Third', participants: ['0007:5567321707'] });
    const document = answerDocument({ customization: MLR, code: 'RE', reference: instanceId });
    await handOver(core.core.url, envelope(document, { receiver }));
    expect((await statusOf()).status).toBe('queued');
    expect([await countRows(core.administration.ledger, 'responses'), await responses()]).toEqual([1, []]);
  });
});
