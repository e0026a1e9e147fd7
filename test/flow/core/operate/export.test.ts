// What the core hands out of an account: all that an erasure would take, but for what would be a secret.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { insertEnrichment } from '#core/ledger/enrichments.ts';
import { insertTransmission } from '#core/ledger/transmissions.ts';
import { insertTurnedAway } from '#core/ledger/turned-away.ts';
import { recordLook } from '#core/ledger/watched.ts';
import { insertEvent } from '#core/ledger/webhook-events.ts';
import { insertWebhook, updateWebhook } from '#core/ledger/webhooks.ts';
import { exportFromCore } from '#core/operate/export.ts';
import { coreOfTest, type TestCore } from '../../../support/core.ts';
import { BUYER, invoice, SELLER } from '../../../support/documents.ts';

const KEY = '0d2b5ab0-7d5c-4b39-9d5c-3f0a3a3f3c11';
const AT = '2026-03-02T12:00:00.000Z';

/** Returns what stands in the files of an export of the seller, by their paths. */
async function exported(core: TestCore): Promise<ReadonlyMap<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), 'dropgate-export-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  await exportFromCore(core.administration, 'seller', folder, () => undefined);
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name));
  return new Map(paths.map((path) => [path.slice(folder.length + 1), readFileSync(path, 'utf8')]));
}

function linesOf(files: ReadonlyMap<string, string>, file: string): unknown[] {
  return (files.get(file) ?? '')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

it('export has messages with their transmissions, and what stands beside them, without anything secret', async () => {
  const core = await coreOfTest();
  const nowMs = core.clock.now();
  const { json } = await core.call('/transaction/seller/invoices/outgoing', { body: invoice({ id: 'F-1' }), idempotencyKey: KEY });
  const { integrationId } = json.data;
  const away = { accountRegNo: 'seller', sender: BUYER, receiver: SELLER, family: 'Invoice', findings: '[{"rule":"BR-CO-15"}]' };
  const job = { accountRegNo: 'seller', types: ['capture'], content: Buffer.from('%PDF'), fileName: '../bill.pdf', pollingId: 'poll-1' };
  await core.administration.ledger.write([], async (rows) => {
    await insertTransmission(rows, { integrationId, instanceIdOf: () => 'instance-1', found: true }, nowMs);
    for (const accountRegNo of ['seller', 'buyer']) {
      const document = Buffer.from(`<Invoice>${accountRegNo}</Invoice>`);
      await insertTurnedAway(rows, { ...away, instanceId: `../${accountRegNo}`, accountRegNo, documentId: 'T-1', document }, nowMs);
      const hook = { id: `hook-of-${accountRegNo}`, url: 'https://erp.example/hooks?token=s3cret', types: [] };
      await insertWebhook(rows, { scope: 'account', accountRegNo }, hook, nowMs);
      await updateWebhook(rows, hook.id, { auth_type: 'basic', signing_sealed: Buffer.from('s3cret') });
      await insertEvent(rows, { eventId: `event-of-${accountRegNo}`, webhookId: hook.id, type: 'new_document', body: '{"a":1}' }, nowMs);
    }
    await insertEnrichment(rows, job, nowMs);
    await recordLook(rows, SELLER, { nextLookAt: nowMs, failures: 1, failingSince: nowMs, reason: 'no answer' });
  });

  const files = await exported(core);
  expect(linesOf(files, 'messages.jsonl')).toMatchObject([
    { integrationId, transmissions: [{ instanceId: 'instance-1', version: 1, state: 'waiting', createdAt: AT, handedAt: null }] },
  ]);
  const [turnedAway] = linesOf(files, 'turned-away.jsonl');
  expect(turnedAway).toMatchObject({ instanceId: '../seller', documentId: 'T-1', turnedAwayAt: AT, findings: [{ rule: 'BR-CO-15' }] });
  expect(files.get('turned-away/1.xml')).toBe('<Invoice>seller</Invoice>');
  expect(linesOf(files, 'enrichments.jsonl')).toMatchObject([
    { pollingId: 'poll-1', fileName: '../bill.pdf', file: 'enrichments/poll-1', result: null, createdAt: AT },
  ]);
  expect(files.get('enrichments/poll-1')).toBe('%PDF');
  expect(linesOf(files, 'webhooks.jsonl')).toMatchObject([{ id: 'hook-of-seller', host: 'erp.example', authType: 'basic', createdAt: AT }]);
  expect(linesOf(files, 'webhook-events.jsonl')).toMatchObject([{ eventId: 'event-of-seller', body: { a: 1 }, deadAt: null }]);
  expect(linesOf(files, 'requests.jsonl')).toMatchObject([{ key: KEY, integrationId, response: expect.stringContaining(integrationId) }]);
  expect(linesOf(files, 'registrations.jsonl')).toMatchObject([{ participant: SELLER, reason: 'no answer', nextLookAt: AT }]);
  expect(JSON.parse(files.get('account.json') ?? '')).toMatchObject({
    participants: [SELLER],
    partners: [],
    keys: [{ scope: 'api', createdAt: AT, expiresAt: null }, { scope: 'gateway' }],
  });
  const all = [...files.values()].join('');
  for (const secret of ['s3cret', core.seller.apiKey, 'of-buyer']) expect(all).not.toContain(secret);
});
