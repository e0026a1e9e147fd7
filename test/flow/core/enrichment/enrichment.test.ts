// Enrichment: jobs by pollingId, the one that needs no outside service, and what is said of the others.
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { forgetOldJobs } from '#core/enrichment/jobs.ts';
import { findEnrichment, insertEnrichment } from '#core/ledger/enrichments.ts';
import { updateCoreAccount } from '#core/operate/administration.ts';
import { coreOfTest, IN_PLACE, startTestCore, type TestCore } from '../../../support/core.ts';
import { invoice } from '../../../support/documents.ts';
import { until } from '../../../support/until.ts';

let test: TestCore;
beforeEach(async () => {
  test = await coreOfTest();
});

const enable = () => updateCoreAccount(test.administration, 'seller', { features: { capture: true } });
const base64 = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64');
const post = (body: unknown, path = 'invoice') =>
  test.call(`/enrichment/seller/${path}`, { body: typeof body === 'string' ? body : JSON.stringify(body), type: 'application/json' });
const upload = (bytes: Uint8Array | string, enrichmentTypes = ['capture']) =>
  post({ fileName: 'a.xml', fileContent: base64(bytes), enrichmentTypes });
const poll = (id: string, rest = '') => test.call(`/enrichment/seller/${id}${rest}`);
const worked = (pollingId: string) =>
  until('the job', async () => (await findEnrichment(test.administration.ledger.read, pollingId))?.result);

it('S016 is 403 while the feature is off, whatever is asked', async () => {
  for (const answer of [
    await upload(invoice()),
    await post({ products: [{ id: '1', product_name: 'paper' }], enrichmentTypes: ['unspsc'] }, 'categorisation'),
  ]) {
    expect([answer.status, answer.json.type]).toEqual([403, 'E_MISSING_PERMISSION']);
  }
  expect((await poll('7f0a6b7e-0000-4000-8000-000000000001')).status).toBe(403);
  expect((await test.call('/enrichment/buyer/invoice', { body: '{}', type: 'application/json' })).status).toBe(401);
});

describe('S016 where it is on', () => {
  beforeEach(enable);

  it('captures an invoice as UBL JSON with its findings, for all types together and for one', async () => {
    const taken = await upload(invoice());
    expect([taken.status, taken.json.data.state]).toEqual([202, 'processing']);
    const { pollingId } = taken.json.data;
    await worked(pollingId);
    const done = await poll(pollingId);
    expect(done.status).toBe(200);
    expect(done.json.data).toEqual([expect.objectContaining({ type: 'capture', state: 'done', documentType: 'Invoice', findings: [] })]);
    // The same as the document is listed.
    await test.call('/transaction/seller/invoices/outgoing', { body: invoice() });
    const [listed] = (await test.call('/transaction/seller/invoices/outgoing')).json.data;
    expect(done.json.data[0].document).toEqual({ Invoice: listed.Invoice });
    test.clock.nowMs += 30_000;
    expect((await poll(pollingId, '/capture')).json.data).toEqual(done.json.data[0]);
    test.clock.nowMs += 30_000;
    expect((await poll(pollingId, '/unspsc')).status).toBe(404);
  });

  it('tells what is wrong with a document, and still captures it', async () => {
    const broken = Buffer.from(invoice())
      .toString('utf8')
      .replace(/<cbc:PayableAmount currencyID="SEK">[^<]*/, '<cbc:PayableAmount currencyID="SEK">1.00');
    const { pollingId } = (await upload(broken)).json.data;
    await worked(pollingId);
    const [result] = (await poll(pollingId)).json.data;
    expect(result.state).toBe('done');
    expect(result.findings.map((each: { rule: string }) => each.rule)).toContain('BR-CO-16');
  });

  it.each(['no document', '%PDF-1.7', '<a/>', '<Invoice xmlns="urn:other"/>'])(
    'a file that is none has failed, with a sentence: %s',
    async (text) => {
      const { pollingId } = (await upload(text)).json.data;
      await worked(pollingId);
      const { status, json } = await poll(pollingId);
      expect(status).toBe(200);
      expect(json.data[0]).toMatchObject({ state: 'failed', document: null, message: expect.stringMatching(/\.$/) });
    },
  );

  it('S314 a job is polled once in 30 seconds', async () => {
    const { pollingId } = (await upload(invoice())).json.data;
    await worked(pollingId);
    expect((await poll(pollingId)).status).toBe(200);
    test.clock.nowMs += 29_000;
    const early = await poll(pollingId);
    expect([early.status, early.json.type, early.headers.get('retry-after')]).toEqual([429, 'E_RATE_LIMITED', '1']);
    expect((await poll(pollingId, '/capture')).status).toBe(429);
    test.clock.nowMs += 1_000;
    expect((await poll(pollingId)).status).toBe(200);
  });

  it('a job that is still being worked on is 202; it goes on after a restart', async () => {
    const pollingId = '7f0a6b7e-0000-4000-8000-000000000002';
    const job = { pollingId, accountRegNo: 'seller', types: ['capture'], fileName: null, content: invoice() };
    await test.administration.ledger.write([], (rows) => insertEnrichment(rows, job, test.clock.now()));
    expect((await poll(pollingId)).status).toBe(202);
    await test.restart();
    await worked(pollingId);
    test.clock.nowMs += 30_000;
    expect((await poll(pollingId)).status).toBe(200);
  });

  it.each([
    ['a type that we cannot do', () => upload(invoice(), ['capture', 'unspsc']), 501],
    ['categorisation', () => post({ products: [{ id: '1', product_name: 'paper' }], enrichmentTypes: ['unspsc'] }, 'categorisation'), 501],
    ['no JSON', () => post('{'), 400],
    ['no content', () => post({ enrichmentTypes: ['capture'] }), 422],
    ['no type', () => upload(invoice(), []), 422],
    ['content that is no base64', () => post({ fileContent: 'äöü', enrichmentTypes: ['capture'] }), 422],
    ['a pollingId that is none', () => poll('nothing'), 400],
    ['an unknown pollingId', () => poll('7f0a6b7e-0000-4000-8000-000000000001'), 404],
  ])('refuses %s', async (_, call, status) => {
    expect((await call()).status).toBe(status);
  });

  it('a job is its account’s own, and forgotten after a day', async () => {
    const { pollingId } = (await upload(invoice())).json.data;
    await updateCoreAccount(test.administration, 'buyer', { features: { capture: true } });
    expect((await test.call(`/enrichment/buyer/${pollingId}`, { key: test.buyer.apiKey })).status).toBe(404);
    test.clock.nowMs += 24 * 60 * 60_000;
    expect((await poll(pollingId)).status).toBe(404);
  });

  it('is taken from the ledger when its time is over', async () => {
    const { pollingId } = (await upload(invoice())).json.data;
    await worked(pollingId);
    const { ledger, clock } = { ...test.administration, clock: test.clock };
    clock.nowMs += 24 * 60 * 60_000;
    await forgetOldJobs({ ledger, clock });
    expect(await findEnrichment(ledger.read, pollingId)).toBeDefined();
    clock.nowMs += 1;
    await forgetOldJobs({ ledger, clock });
    expect(await findEnrichment(ledger.read, pollingId)).toBeUndefined();
  });

  it('of an account so many wait and no more; then it is told to come again', async () => {
    const waiting = Array.from({ length: 100 }, (_, at) => ({
      pollingId: `waiting-${at}`,
      accountRegNo: 'seller',
      types: ['capture'],
      fileName: null,
      content: invoice(),
    }));
    await test.administration.ledger.write([], async (rows) => {
      for (const job of waiting) await insertEnrichment(rows, job, test.clock.now());
    });
    const refused = await upload(invoice());
    expect([refused.status, refused.json.type, refused.headers.get('retry-after')]).toEqual([429, 'E_RATE_LIMITED', '30']);
  });

  it('a flood of one account keeps no other from its turn, and a file that breaks the examiner none behind it', async () => {
    const order: string[] = [];
    const begun = Promise.withResolvers<void>();
    const core = await startTestCore({
      examiner: {
        ...IN_PLACE,
        async examine(submission) {
          await begun.promise;
          const id = /<cbc:ID>([^<]*)/.exec(Buffer.from(submission.body).toString())?.[1] ?? '';
          order.push(id);
          if (id === 'flood-0') throw new Error('the examiner is broken');
          return IN_PLACE.examine(submission);
        },
      },
    });
    onTestFinished(() => core[Symbol.asyncDispose]());
    const enrich = async (accountRegNo: 'seller' | 'buyer', id: string) => {
      await updateCoreAccount(core.administration, accountRegNo, { features: { capture: true } });
      const body = JSON.stringify({ fileContent: base64(invoice({ id })), enrichmentTypes: ['capture'] });
      const call = { key: core[accountRegNo].apiKey, type: 'application/json', body };
      expect((await core.call(`/enrichment/${accountRegNo}/invoice`, call)).status).toBe(202);
    };
    for (let at = 0; at < 20; at++) await enrich('seller', `flood-${at}`);
    await enrich('buyer', 'lonely');
    begun.resolve();
    await until('all jobs', () => order.length === 21);
    expect(order.indexOf('lonely')).toBeLessThanOrEqual(1);
  });

  it('takes a document as large as any other', async () => {
    const { status, json } = await upload(invoice({ attachmentBytes: 500 * 1024 }));
    expect(status).toBe(202);
    await worked(json.data.pollingId);
    expect((await upload(new Uint8Array(1100 * 1024))).status).toBe(400);
  });
});
