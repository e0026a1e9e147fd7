// What the core hands out of an account, table by table: a new table turns this red until somebody says what an export has of it.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { selectMessagesAfter } from '#core/ledger/account-data.ts';
import { insertEnrichment } from '#core/ledger/enrichments.ts';
import { insertLink, insertPartner } from '#core/ledger/partners.ts';
import { insertResponse } from '#core/ledger/receptions.ts';
import { coreSchema } from '#core/ledger/schema.ts';
import { insertTransmission } from '#core/ledger/transmissions.ts';
import { insertTurnedAway } from '#core/ledger/turned-away.ts';
import { insertDifferences, recordLook } from '#core/ledger/watched.ts';
import { insertEvent } from '#core/ledger/webhook-events.ts';
import { insertWebhook, updateWebhook } from '#core/ledger/webhooks.ts';
import { exportFromCore } from '#core/operate/export.ts';
import { coreOfTest, type TestCore } from '../../../support/core.ts';
import { BUYER, invoice, SELLER } from '../../../support/documents.ts';
import { dumpTable } from '../../../support/world/ledger-rows.ts';

const KEY = '0d2b5ab0-7d5c-4b39-9d5c-3f0a3a3f3c11';
const AT = '2026-03-02T12:00:00.000Z';

/** In which file of an export a table's rows stand, and what of them. */
const EXPORTED: Readonly<Record<string, readonly [file: string, text: string]>> = {
  accounts: ['account.json', '"accountRegNo": "seller"'],
  participants: ['account.json', SELLER],
  partner_links: ['account.json', '"partner-1"'],
  api_keys: ['account.json', '"scope": "gateway"'],
  messages: ['messages.jsonl', '"documentId":"F-1"'],
  message_contents: ['messages.jsonl', '"file":"outgoing/Invoice/'],
  message_log: ['messages.jsonl', '"event":"created"'],
  transmissions: ['messages.jsonl', '"instanceId":"instance-1"'],
  responses: ['messages.jsonl', '"reason":"wrong order"'],
  turned_away: ['turned-away.jsonl', '"documentId":"T-1"'],
  enrichments: ['enrichments.jsonl', '"pollingId":"poll-1"'],
  webhooks: ['webhooks.jsonl', '"host":"erp.example"'],
  webhook_events: ['webhook-events.jsonl', '"eventId":"event-of-seller"'],
  idempotency_keys: ['requests.jsonl', KEY],
  watched: ['registrations.jsonl', '"reason":"no answer"'],
  differences: ['registrations.jsonl', '"detail":"another one"'],
};

/** Why nothing of a table is in an export. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  partners: 'of its partners, which are named in account.json',
  signing_keys: 'secrets of the core',
  taken: 'digests, of which nobody can tell whose they are',
  receptions: 'by which no envelope is taken twice: they name no account',
};

it('of each table it is said whether it is exported', () => {
  expect([...Object.keys(EXPORTED), ...Object.keys(LEFT_OUT)].sort()).toEqual(Object.keys(coreSchema.tables).sort());
});

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
    await insertPartner(rows, { partnerRegNo: 'partner-1', name: 'Partner' }, nowMs);
    await insertLink(rows, 'partner-1', 'seller');
    const response = {
      instanceId: '',
      kind: 'MLS',
      code: 'RE',
      reason: 'wrong order',
      findings: [],
      document: Buffer.from('<Response/>'),
    } as const;
    const list = { accountRegNo: 'seller', direction: 'outgoing', family: 'Invoice' } as const;
    const [message] = await selectMessagesAfter(rows, list, 0);
    await insertResponse(rows, { ...response, sequence: message?.sequence ?? 0 }, nowMs);
    await insertDifferences(rows, SELLER, [{ what: 'certificate', detail: 'another one' }], nowMs);
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
    partners: ['partner-1'],
    keys: [{ scope: 'api', createdAt: AT, expiresAt: null }, { scope: 'gateway' }],
  });
  const manual = readFileSync(resolve('docs/operations.md'), 'utf8');
  for (const [table, [file, text]] of Object.entries(EXPORTED)) {
    expect(await dumpTable({ core: core.administration.ledger }, table), table).not.toEqual([]);
    expect(files.get(file), `${table} in ${file}`).toContain(text);
    expect(manual).toContain(`\`${file}\``);
  }
  const all = [...files.values()].join('');
  for (const secret of ['s3cret', core.seller.apiKey, 'of-buyer']) expect(all).not.toContain(secret);
});
