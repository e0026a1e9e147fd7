// A create request that is repeated at another core, since the first one was slow to answer: what the first one stored is the repeated
// request's own document, and nobody's earlier one.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Core, startCore } from '#core/core.ts';
import type { Examiner } from '#core/examination/examiner.ts';
import { type Answer, coreOptions, IN_PLACE, LOCAL_NETWORK, request, startTestCore, type TestCore } from '../../../support/core.ts';
import { invoice, SELLER } from '../../../support/documents.ts';
import { hasPostgres, newPostgresDatabase, type PostgresDatabase } from '../../../support/postgres.ts';
import { smpSigner } from '../../../support/smp.ts';
import { until } from '../../../support/until.ts';

const OUT = '/transaction/seller/invoices/outgoing';
const INCOMING = '/transaction/seller/invoices/incoming';

/** Examines as ever, but waits while it is held. */
class HeldExaminer implements Examiner {
  readonly readHead = IN_PLACE.readHead;
  readonly open = IN_PLACE.open;
  readonly judge = IN_PLACE.judge;
  readonly close = IN_PLACE.close;
  held: Promise<void> | null = null;
  waiting = 0;

  readonly examine: Examiner['examine'] = async (submission) => {
    this.waiting++;
    await this.held;
    this.waiting--;
    return IN_PLACE.examine(submission);
  };
}

describe.runIf(hasPostgres)('a request that is repeated at another core', () => {
  const slow = new HeldExaminer();
  let database: PostgresDatabase;
  let one: TestCore;
  let two: Core;
  let folder: string;

  beforeAll(async () => {
    database = await newPostgresDatabase();
    folder = mkdtempSync(join(tmpdir(), 'dropgate-core-'));
    // Nobody answers who is on it, so what is for it is taken and waits.
    const network = {
      ...LOCAL_NETWORK,
      kind: 'peppol',
      sml: 'sml.test',
      smpAuthorities: smpSigner().authority,
      country: 'SE',
      folder,
    } as const;
    const outbound = { allow: false, deny: false, ca: null, dns: ['127.0.0.1:1'] } as const;
    const settings = { databaseServer: database.place, network, outbound };
    one = await startTestCore({ ...settings, node: 'one' });
    two = await startCore({ ...coreOptions(folder, one.clock), sealPath: one.sealPath, examiner: slow, ...settings, node: 'two' });
  });
  afterAll(async () => {
    await two?.close();
    await one?.[Symbol.asyncDispose]();
    await database?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  /** What the second core answers, which has found no key and works on the document until the first core has answered. */
  async function atBoth(path: string, first: Uint8Array, repeated: Uint8Array, idempotencyKey: string): Promise<[Answer, Answer]> {
    const hold = Promise.withResolvers<void>();
    slow.held = hold.promise;
    const second = request(two.url + path, { key: one.seller.apiKey, body: repeated, idempotencyKey });
    await until('the second core to work on it', () => slow.waiting > 0);
    const answered = await one.call(path, { body: first, idempotencyKey });
    hold.resolve();
    slow.held = null;
    return [answered, await second];
  }

  it.each([
    ['an outgoing', OUT, 'R-1', {}],
    ['an incoming', INCOMING, 'R-2', { sender: '0088:0000000000055', receiver: SELLER }],
    ['the network’s', OUT, 'R-5', { receiver: '0088:0000000000055' }],
  ])('is answered as the first one: %s document', async (_, path, id, parties) => {
    const body = invoice({ id, ...parties });
    const [first, second] = await atBoth(path, body, body, `key-of-${id}-padded`);
    expect(first.status).toBe(200);
    expect(second).toMatchObject({ status: 200, text: first.text });
    expect(second.headers.get('integrationid')).toBe(first.headers.get('integrationid'));
  });

  it('with another body has the key refused', async () => {
    const [first, second] = await atBoth(OUT, invoice({ id: 'R-3' }), invoice({ id: 'R-3', note: 'other' }), 'key-of-R-3-padded');
    expect(first.status).toBe(200);
    expect(second).toMatchObject({ status: 400, json: { type: 'E_BAD_REQUEST' } });
    expect(second.text).not.toContain(first.json.data.integrationId);
  });

  it('under another key is a duplicate', async () => {
    const body = invoice({ id: 'R-4' });
    const first = await one.call(OUT, { body, idempotencyKey: 'key-of-R-4-padded' });
    const second = await request(two.url + OUT, { key: one.seller.apiKey, body, idempotencyKey: 'other-of-R-4-padded' });
    const { integrationId } = first.json.data;
    expect(second).toMatchObject({ status: 409, json: { metadata: { reason: 'duplicate_document', integrationId } } });
  });
});
