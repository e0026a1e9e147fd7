// Every refusal says in a word why, when it was, and which document it is as far as that can be read.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { ReceiptCode } from '#domain/receipt-codes.ts';
import { homeFolder } from '#gateway/disk/paths.ts';
import { changeAccount } from '#gateway/operate/account-rules.ts';
import { validate } from '#rules/validate.ts';
import { invoice, invoiceOfSize } from '../../../support/documents.ts';
import { obliging, refusal } from '../../../support/scripted-service.ts';
import { until } from '../../../support/until.ts';
import { scripted } from '../../../support/world/services.ts';
import { startWorld } from '../../../support/world/world.ts';

const ACCOUNT = 'acme-ab';
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();
const named = (id: string): string => text(invoice({ id }));
const json = (id: string): string => JSON.stringify({ Invoice: { ID: id, Nonsense: 'x' } });

interface Row {
  readonly bytes: Uint8Array | string;
  readonly code: ReceiptCode;
  /** What can be read of it. */
  readonly seen?: string;
  /** What the service finds, where it is the service that says no. */
  readonly refusal?: { readonly type: string; readonly rule?: string };
}

// biome-ignore format: one row, one file
const REFUSED: Readonly<Record<string, Row>> = {
  'empty.xml':       { bytes: '', code: 'truncated' },
  'cut.xml':         { bytes: named('C-1').slice(0, 4_000), code: 'truncated', seen: 'C-1' },
  'long.xml':        { bytes: invoiceOfSize(300_000, { id: 'L-1' }).subarray(0, 200_000), code: 'truncated', seen: 'L-1' },
  'broken.xml':      { bytes: named('B-1').replace('</cac:InvoiceLine>', '</cac:Line>'), code: 'not-well-formed', seen: 'B-1' },
  'latin.xml':       { bytes: Buffer.from(named('E-1').replace('</cac:InvoiceLine>', '\u00e5</cac:InvoiceLine>'), 'latin1'), code: 'encoding' },
  'document.pdf':    { bytes: '%PDF-1.7 and more', code: 'not-ubl' },
  'statement.xml':   { bytes: '<Statement xmlns="urn:oasis:names:specification:ubl:schema:xsd:Statement-2"/>', code: 'not-ubl' },
  'type.xml':        { bytes: `<!DOCTYPE a [<!ENTITY b "c">]>${named('M-1').replace(/^<\?xml[^>]*>/, '')}`, code: 'markup' },
  'half.json':       { bytes: json('J-1').slice(0, 20), code: 'truncated' },
  'comma.json':      { bytes: '{"Invoice":{"Note":["a"],"ID":{"_":"J-4"},"IssueDate":[{"_":"2026-01-01"},]}}', code: 'not-well-formed', seen: 'J-4' },
  'shape.json':      { bytes: json('J-2'), code: 'rule', seen: 'J-2' },
  'nobody.json':     { bytes: '{"Invoice":{"ID":"J-3"}}', code: 'head-incomplete', seen: 'J-3' },
  'nobody.xml':      { bytes: named('H-1').replaceAll(/<cbc:EndpointID.*<\/cbc:EndpointID>/g, ''), code: 'head-incomplete', seen: 'H-1' },
  'rules.xml':       { bytes: named('R-1'), code: 'rule', seen: 'R-1', refusal: { type: 'E_VALIDATION', rule: 'BR-02' } },
  'stranger.xml':    { bytes: named('R-2'), code: 'sender-not-yours', seen: 'R-2', refusal: { type: 'E_VALIDATION', rule: 'participant' } },
  'theirs.xml':      { bytes: named('R-3'), code: 'number-of-another', seen: 'R-3', refusal: { type: 'E_VALIDATION', rule: 'origin' } },
  'no.xml':          { bytes: named('R-4'), code: 'service-refused', seen: 'R-4', refusal: { type: 'E_VALIDATION' } },
};

it('a refusal has its code, its time, and number and family where they can be read', async () => {
  const world = await startWorld(
    scripted(({ method, body, ...rest }) => {
      const row = Object.values(REFUSED).find(({ seen, refusal: no }) => no && seen !== undefined && body.toString().includes(`>${seen}<`));
      if (method !== 'POST' || !row?.refusal) return obliging({ method, body, ...rest });
      const { type, rule } = row.refusal;
      return refusal(422, type, { details: rule === undefined ? [] : [{ rule, severity: 'fatal', message: 'No.' }] });
    }),
  );
  const before = world.clock.now();
  for (const [name, { bytes }] of Object.entries(REFUSED)) await world.drop(ACCOUNT, name, bytes);
  for (const [name, { code, seen }] of Object.entries(REFUSED)) {
    const receipt = await world.receipt(ACCOUNT, name, 'refused');
    const known = seen === undefined ? {} : { documentId: seen, family: 'Invoice' };
    expect(receipt, name).toMatchObject({ receipt: 1, action: 'fix', code, ...known });
    expect(Date.parse(receipt.at), name).toBeGreaterThanOrEqual(before);
  }
  const shape = await world.receipt(ACCOUNT, 'nobody.json', 'refused');
  expect(shape.findings[0]).toMatchObject({ pointer: '/Invoice/AccountingSupplierParty/Party/EndpointID' });
  expect(shape.findings[0]?.message).toContain('"EndpointID": { "_": "7300010000001", "schemeID": "0088" }');
  await world.drop(ACCOUNT, 'good.xml', invoice({ id: 'G-1' }));
  expect(await world.receipt(ACCOUNT, 'good.xml', 'accepted')).toMatchObject({ code: null, documentId: 'G-1' });
});

it('an account that wants tables finds its receipts as such', async () => {
  const world = await startWorld(scripted());
  await world.administer((on) => changeAccount(on, ACCOUNT, { receipts: 'csv' }));
  await world.restart();
  await world.drop(ACCOUNT, '=1+1.xml', 'no document');
  const name = await until('the receipt', () => world.files(ACCOUNT, 'receipts').find((each) => each.endsWith('.refused.csv')));
  const [names, row] = readFileSync(join(homeFolder(world.data, ACCOUNT), 'receipts', name), 'utf8').split('\r\n');
  expect(names).toMatch(/^receipt,stage,action,code,file,/);
  expect(row).toMatch(/^1,refused,fix,not-ubl,'=1\+1\.xml,/);
});

it('an account that wants documents of UBL finds its receipts as such', async () => {
  const world = await startWorld(scripted());
  await world.administer((on) => changeAccount(on, ACCOUNT, { receipts: 'ubl' }));
  await world.restart();
  await world.drop(ACCOUNT, 'good.xml', invoice({ id: 'G-1' }));
  const name = await until('the receipt', () => world.files(ACCOUNT, 'receipts').find((each) => each.endsWith('.accepted.xml')));
  const verdict = validate(readFileSync(join(homeFolder(world.data, ACCOUNT), 'receipts', name)), { day: '2026-11-21' });
  expect(verdict).toMatchObject({ valid: true, profile: 'mlr', findings: [] });
});
