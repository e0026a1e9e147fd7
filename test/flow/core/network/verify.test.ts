// What an access point has verified by us before it tells the sender that a document was accepted.
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import type { CoreOptions } from '#core/core.ts';
import { boundTurnedAway, findTurnedAway, insertTurnedAway, selectTurnedAway } from '#core/ledger/turned-away.ts';
import { updateCoreAccount } from '#core/operate/administration.ts';
import { findingsIn } from '#domain/document.ts';
import type { VerifyMode } from '#domain/validation.ts';
import { AP_TOKEN, type HttpAccessPoint, handOver, startHttpAccessPoint } from '../../../support/access-point.ts';
import { LOCAL_NETWORK, reloadCore, type TestCore } from '../../../support/core.ts';
import { BUYER, invoice, SELLER } from '../../../support/documents.ts';
import { startNetwork, type TestNetwork } from '../../../support/network.ts';
import { answerDocument, type Between, envelopeOf, MLS } from '../../../support/network-answers.ts';

const ID = '7f0a6b7e-0000-4000-8000-000000000001';

let network: TestNetwork;
let ap: HttpAccessPoint;
beforeEach(async () => {
  network = await startNetwork();
  ap = await startHttpAccessPoint();
  onTestFinished(async () => {
    await network[Symbol.asyncDispose]();
    await ap[Symbol.asyncDispose]();
  });
});

function start(verify: VerifyMode = 'refuse', settings: Partial<CoreOptions['network']> = {}): Promise<TestCore> {
  return network.startCore('seller', { accessPoint: 'http', url: ap.url, token: AP_TOKEN, verify, ...settings });
}

const envelope = (document: Uint8Array, changes: Partial<Between> = {}): Uint8Array =>
  envelopeOf(document, { instanceId: ID, sender: BUYER, receiver: SELLER, ...changes });
/** The buyer bills the seller, for once. */
const bill = (options = {}): Uint8Array => invoice({ sender: BUYER, receiver: SELLER, ...options });
const replaced = (document: Uint8Array, from: string | RegExp, to: string): Uint8Array => {
  const text = new TextDecoder().decode(document);
  const changed = text.replace(from, to);
  expect(changed).not.toBe(text);
  return new TextEncoder().encode(changed);
};
/** It breaks a rule (BR-CO-15), and nothing of the structure. */
const wrong = (): Uint8Array => replaced(bill({ id: 'F-13' }), /(<cbc:TaxInclusiveAmount[^>]*>)[^<]+/, '$112345.00');
/** It breaks the structure. */
const unstructured = (): Uint8Array => replaced(bill({ id: 'F-14' }), /<cbc:IssueDate>/, '<cbc:Surprise/><cbc:IssueDate>');

interface Layer {
  readonly success: string;
  readonly validity: string;
  readonly artifactType: string;
  readonly artifactPathType: string;
  readonly artifactPath: string;
  readonly items: readonly { errorLevel: string; errorID: string; errorFieldName?: string; errorText: string }[];
}

/** As phoss-ap's verifier asks, and what it reads. */
async function verify(core: TestCore, body: Uint8Array, headers: Record<string, string> = { 'x-token': AP_TOKEN }) {
  const response = await fetch(`${core.core.url}/api/dd_and_validate/`, {
    method: 'POST',
    headers: { 'content-type': 'application/xml', accept: 'application/json', ...headers },
    body: new Uint8Array(body),
  });
  const json: { success: boolean; mostSevereErrorLevel: string; results: Layer[] } = JSON.parse(await response.text());
  return { status: response.status, json };
}

const turnedAway = (core: TestCore) => selectTurnedAway(core.administration.ledger.read, null, 100);
const incoming = async (core: TestCore) => (await core.call('/transaction/seller/invoices/incoming')).json?.data ?? [];

it('passes a document without fault, and keeps nothing of it', async () => {
  const core = await start();
  const { status, json } = await verify(core, envelope(bill()));
  expect([status, json.success, json.mostSevereErrorLevel]).toEqual([200, true, 'SUCCESS']);
  expect(json.results.map(({ artifactType, validity, items }) => [artifactType, validity, items])).toEqual([
    ['xsd', 'valid', []],
    ['schematron-xslt2', 'valid', []],
  ]);
  expect(await turnedAway(core)).toEqual([]);
});

it('tells the rules that a document breaks with their places, and keeps the document for the account', async () => {
  const core = await start();
  const { status, json } = await verify(core, envelope(wrong()));
  expect([status, json.success, json.mostSevereErrorLevel]).toEqual([200, false, 'ERROR']);
  const [structure, rules] = json.results;
  expect(structure).toMatchObject({ success: 'TRUE', artifactType: 'xsd', items: [] });
  expect(rules).toMatchObject({ success: 'FALSE', validity: 'invalid', artifactType: 'schematron-xslt2' });
  // phive passes over a layer that does not say where its rules are.
  expect([rules?.artifactPathType, rules?.artifactPath].every(Boolean)).toBe(true);
  expect(rules?.items).toContainEqual(
    expect.objectContaining({ errorLevel: 'ERROR', errorID: 'BR-CO-15', errorFieldName: expect.stringMatching(/^\/Invoice/) }),
  );
  const [kept] = await turnedAway(core);
  expect(kept).toMatchObject({ instanceId: ID, accountRegNo: 'seller', sender: BUYER, family: 'Invoice', documentId: 'F-13' });
  expect(findingsIn(JSON.parse(kept?.findings ?? '')).map(({ rule }) => rule)).toContain('BR-CO-15');
  const whole = await findTurnedAway(core.administration.ledger.read, ID);
  expect(new TextDecoder().decode(whole?.document ?? undefined)).toContain('<cbc:ID>F-13</cbc:ID>');
});

it('goes by another mode once it was told of it', async () => {
  const core = await start('refuse');
  expect((await verify(core, envelope(wrong()))).json.success).toBe(false);
  reloadCore(core, { network: { ...LOCAL_NETWORK, verify: 'off' } });
  expect((await verify(core, envelope(wrong()))).json.success).toBe(true);
});

it('calls a broken structure a fault of syntax', async () => {
  const core = await start();
  const [structure] = (await verify(core, envelope(unstructured()))).json.results;
  expect(structure).toMatchObject({ success: 'FALSE', artifactType: 'xsd' });
  expect(structure?.items[0]).toMatchObject({ errorLevel: 'ERROR', errorID: 'ubl-element' });
  expect(await turnedAway(core)).toHaveLength(1);
});

it('keeps one document of an envelope, however often it is asked about', async () => {
  const core = await start();
  await Promise.all([1, 2, 3].map(() => verify(core, envelope(wrong()))));
  expect(await turnedAway(core)).toHaveLength(1);
});

it.each<[VerifyMode, string[]]>([
  ['warn', ['WARN']],
  ['off', []],
])('with %s a document passes whatever it breaks', async (mode, levels) => {
  const core = await start(mode);
  const { json } = await verify(core, envelope(wrong()));
  expect(json.success).toBe(true);
  expect([...new Set(json.results.flatMap(({ items }) => items.map(({ errorLevel }) => errorLevel)))]).toEqual(levels);
  expect(await turnedAway(core)).toEqual([]);
});

it('goes by the account where that says it itself', async () => {
  const core = await start('off');
  await updateCoreAccount(core.administration, 'seller', { validation: { verify: 'refuse' } });
  expect((await verify(core, envelope(wrong()))).json.success).toBe(false);
  await updateCoreAccount(core.administration, 'seller', { validation: { verify: 'warn' } });
  expect((await verify(core, envelope(wrong()))).json.success).toBe(true);
});

it.each([
  ['a receiver who is nobody here', () => envelope(bill(), { receiver: '0088:7300010000902', sender: '0088:7300010000919' }), 'receiver'],
  ['what is no envelope', () => bill(), 'envelope'],
  ['what is no XML', () => new TextEncoder().encode('%PDF-1.7'), 'envelope'],
  ['what is never exchanged', () => envelope(new TextEncoder().encode('<Statement xmlns="urn:x"/>')), 'envelope'],
])('refuses %s before the sender is told that it was accepted', async (_, body, rule) => {
  const core = await start();
  const { status, json } = await verify(core, body());
  expect([status, json.success]).toEqual([200, false]);
  expect(json.results.flatMap(({ items }) => items.map(({ errorID }) => errorID))).toEqual([rule]);
});

it.each([
  [
    'an answer to a message of ours',
    () => envelope(answerDocument({ customization: MLS, code: 'RE', reference: 'x' }), { receiver: '0242:000001' }),
  ],
  ['what this side sends, which was judged when it was taken', () => envelope(wrong(), { sender: SELLER, receiver: BUYER })],
])('passes %s', async (_, body) => {
  const core = await start();
  expect((await verify(core, body())).json.success).toBe(true);
  expect(await turnedAway(core)).toEqual([]);
});

it('takes a document that was turned away when the access point hands it over all the same', async () => {
  const core = await start();
  await verify(core, envelope(wrong()));
  expect((await handOver(core.core.url, envelope(wrong()))).status).toBe(200);
  expect(await incoming(core)).toHaveLength(1);
});

it('refuses a request without the right token, and is not there where no token is set', async () => {
  const core = await start();
  expect((await verify(core, envelope(wrong()), {})).status).toBe(401);
  expect((await verify(core, envelope(wrong()), { 'x-token': 'another' })).status).toBe(401);
  expect(await turnedAway(core)).toEqual([]);
  const open = await start('refuse', { token: null });
  expect((await verify(open, envelope(wrong()))).status).toBe(404);
});

it('keeps the latest of an account only, and of these as many documents as there is room for', async () => {
  const core = await start();
  const { ledger } = core.administration;
  const what = { sender: BUYER, receiver: SELLER, family: 'Invoice', documentId: '1', findings: '[]', document: Buffer.alloc(100) };
  await ledger.write([], async (rows) => {
    for (const accountRegNo of ['seller', 'other']) {
      for (const each of [1, 2, 3, 4]) await insertTurnedAway(rows, { ...what, accountRegNo, instanceId: `${accountRegNo} ${each}` }, each);
    }
    await boundTurnedAway(rows, 'seller', { count: 3, bytes: 250 });
  });
  const kept = await selectTurnedAway(ledger.read, null, 100);
  expect(kept.map(({ instanceId }) => instanceId)).toEqual([
    'other 4',
    'other 3',
    'other 2',
    'other 1',
    'seller 4',
    'seller 3',
    'seller 2',
  ]);
  const documents = await Promise.all(
    kept.map(async ({ instanceId }) => (await findTurnedAway(ledger.read, instanceId))?.document !== null),
  );
  expect(documents).toEqual([true, true, true, true, true, true, false]);
});
