// Every refusal says in a word why, when it was, and which document it is as far as that can be read.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { ReceiptCode } from '#domain/receipt-codes.ts';
import { homeFolder } from '#gateway/disk/paths.ts';
import { changeAccount } from '#gateway/operate/account-rules.ts';
import { setParticipants } from '#gateway/operate/partners.ts';
import { validate } from '#rules/validate.ts';
import { BUYER, invoice, invoiceOfSize, SELLER } from '../../../support/documents.ts';
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
  /** Its number, as far as it can be read; null where that goes no further than the root element, nothing where not even so far. */
  readonly seen?: string | null;
  /** What the service finds, where it is the service that says no. */
  readonly refusal?: { readonly type: string; readonly rule?: string };
}

// biome-ignore format: one row, one file
const REFUSED: Readonly<Record<string, Row>> = {
  'empty.xml':       { bytes: '', code: 'truncated' },
  'cut.xml':         { bytes: named('C-1').slice(0, 4_000), code: 'truncated', seen: 'C-1' },
  'long.xml':        { bytes: invoiceOfSize(300_000, { id: 'L-1' }).subarray(0, 200_000), code: 'truncated', seen: 'L-1' },
  'broken.xml':      { bytes: named('B-1').replace('</cac:InvoiceLine>', '</cac:Line>'), code: 'not-well-formed', seen: 'B-1' },
  'latin.xml':       { bytes: Buffer.from(named('E-1').replace('</cac:InvoiceLine>', '\u00e5</cac:InvoiceLine>'), 'latin1'), code: 'encoding', seen: 'E-1' },
  'marked.xml':      { bytes: Buffer.from(`\ufeff${named('E-2').replace('UTF-8', 'UTF-16')}`, 'utf16le').fill(0xd8, 6_001), code: 'encoding', seen: 'E-2' },
  'utf32.xml':       { bytes: Buffer.concat([Buffer.from([0xff, 0xfe, 0, 0]), Buffer.from(named('E-3'), 'utf16le')]), code: 'encoding' },
  'document.pdf':    { bytes: '%PDF-1.7 and more', code: 'not-ubl' },
  'statement.xml':   { bytes: '<Statement xmlns="urn:oasis:names:specification:ubl:schema:xsd:Statement-2"/>', code: 'not-ubl' },
  'type.xml':        { bytes: `<!DOCTYPE a [<!ENTITY b "c">]>${named('M-1').replace(/^<\?xml[^>]*>/, '')}`, code: 'markup' },
  'half.json':       { bytes: json('J-1').slice(0, 20), code: 'truncated', seen: null },
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
      const row = Object.values(REFUSED).find(({ seen, refusal: no }) => no && seen && body.toString().includes(`>${seen}<`));
      if (method !== 'POST' || !row?.refusal) return obliging({ method, body, ...rest });
      const { type, rule } = row.refusal;
      return refusal(422, type, { details: rule === undefined ? [] : [{ rule, severity: 'fatal', message: 'No.' }] });
    }),
  );
  const before = world.clock.now();
  for (const [name, { bytes }] of Object.entries(REFUSED)) await world.drop(ACCOUNT, name, bytes);
  for (const [name, { code, seen }] of Object.entries(REFUSED)) {
    const receipt = await world.receipt(ACCOUNT, name, 'refused');
    const known = { documentId: seen ?? null, family: seen === undefined ? null : 'Invoice' };
    expect(receipt, name).toMatchObject({ receipt: 1, action: 'fix', code, ...known });
    expect(Date.parse(receipt.at), name).toBeGreaterThanOrEqual(before);
  }
  const shape = await world.receipt(ACCOUNT, 'nobody.json', 'refused');
  expect(shape.findings[0]).toMatchObject({ pointer: '/Invoice/AccountingSupplierParty/Party/EndpointID' });
  expect(shape.findings[0]?.message).toContain('"EndpointID": { "_": "7300010000001", "schemeID": "0088" }');
  await world.drop(ACCOUNT, 'good.xml', invoice({ id: 'G-1' }));
  expect(await world.receipt(ACCOUNT, 'good.xml', 'accepted')).toMatchObject({ code: null, documentId: 'G-1' });
});

it('where the sender is wrong, the addresses of the account are named', async () => {
  const world = await startWorld(
    scripted(({ method, body, ...rest }) => {
      if (method !== 'POST') return obliging({ method, body, ...rest });
      return refusal(422, 'E_VALIDATION', { details: [{ rule: 'participant', severity: 'fatal', message: 'No.' }] });
    }),
  );
  const others = ['0007:1111111111', '0007:2222222222', '0007:3333333333', '0007:4444444444', '0007:5555555555', '0007:6666666666'];
  await world.administer((on) => setParticipants(on, ACCOUNT, [SELLER, ...others]));
  await world.restart();
  await world.drop(ACCOUNT, 'theirs.xml', invoice({ id: 'S-1', sender: BUYER, receiver: SELLER }));
  const ours = await world.receipt(ACCOUNT, 'theirs.xml', 'refused');
  expect(ours).toMatchObject({ code: 'sender-not-yours', findings: [] });
  expect(ours.message).toContain(` It may be sent from ${others.slice(0, 5).join(', ')} and 2 others. Correct the sender`);
  // Its own here, and not so at the service.
  await world.drop(ACCOUNT, 'own.xml', invoice({ id: 'S-2' }));
  const service = await world.receipt(ACCOUNT, 'own.xml', 'refused');
  expect(service).toMatchObject({ code: 'sender-not-yours', findings: [{ rule: 'participant' }] });
  expect(service.message).toContain(` It may be sent from ${others.slice(0, 5).join(', ')} and 1 other. Repair it`);
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
  const verdict = await validate(readFileSync(join(homeFolder(world.data, ACCOUNT), 'receipts', name)), { day: '2026-11-21' });
  expect(verdict).toMatchObject({ valid: true, profile: 'mlr', findings: [] });
});
