// The statements of the specification about documents, over HTTP: families, rules, attachments.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAMILIES, type FamilyName, familyNamed } from '#domain/family.ts';
import { startTestCore, type TestCore } from '../../../support/core.ts';
import { documentOf, invoice } from '../../../support/documents.ts';
import { type Change, changed } from '../../../support/judged.ts';
import { creditNoteOf, invoiceOf } from '../../../unit/rules/pint/examples.ts';

let test: TestCore;
beforeAll(async () => {
  test = await startTestCore();
});
afterAll(async () => await test[Symbol.asyncDispose]());

let last = 0;
const fresh = (): string => `D-${++last}`;
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

async function send(name: FamilyName, body: string | Uint8Array, type = 'application/xml') {
  return test.call(`/transaction/seller/${familyNamed(name).segment}/outgoing`, { body, type });
}

async function rulesBroken(name: FamilyName, change: (xml: string) => string): Promise<string[]> {
  const { status, json } = await send(name, change(text(documentOf(name, { id: fresh() }))));
  if (status === 200) return [];
  expect([status, json.type]).toEqual([422, 'E_VALIDATION']);
  return json.metadata.details.map(({ rule }: { rule: string }) => rule);
}

describe('families', () => {
  const statements: Readonly<Record<FamilyName, string>> = {
    Invoice: 'S008',
    CreditNote: 'S009',
    Order: 'S010',
    OrderResponse: 'S011',
    OrderChange: 'S012',
    OrderCancellation: 'S013',
    Catalogue: 'S014',
    DespatchAdvice: 'S015',
  };
  it.each(FAMILIES.map(({ name }) => [statements[name], name] as const))('%s S001 %s is taken under its root element', async (_, name) => {
    expect((await send(name, documentOf(name, { id: fresh() }))).status).toBe(200);
    const other = name === 'Invoice' ? 'Order' : 'Invoice';
    expect((await send(other, documentOf(name, { id: fresh() }))).status).toBe(422);
  });

  it('S001 refuses XML that is no UBL 2.1', async () => {
    expect(await rulesBroken('Invoice', (xml) => xml.replace('<cbc:IssueDate>', '<cbc:IssueDay>1</cbc:IssueDay><cbc:IssueDate>'))).toEqual([
      'ubl-element',
    ]);
    expect(await rulesBroken('Order', (xml) => xml.replace(/<cbc:IssueDate>[^<]*/, '<cbc:IssueDate>yesterday'))).toEqual(['ubl-type']);
  });

  it('S002 takes UBL JSON, and says where it is none', async () => {
    const json = (await test.call('/transaction/seller/orders/outgoing?limit=1')).json.data[0];
    const body = JSON.stringify({ Order: { ...json.Order, ID: { _: fresh() } } });
    expect((await send('Order', body, 'application/json')).status).toBe(200);
    const wrong = JSON.stringify({ Order: { ...json.Order, ID: { _: fresh() }, Isue: 'x' } });
    const refused = await send('Order', wrong, 'application/json');
    expect(refused.json.metadata.details[0]).toMatchObject({ pointer: '/Order/Isue' });
  });
});

describe('rules', () => {
  const without = (element: string) => (xml: string) => xml.replace(new RegExp(`\\s*<cbc:${element}>[^<]*</cbc:${element}>`), '');

  it('S003 refuses elements of UBL that the network does not allow', async () => {
    const unused = (xml: string) =>
      xml.replace('<cbc:IssueDate>', '<cbc:UUID>5e6a1c6e-8a5b-4f0e-9b43-7f7d1e1f2a3b</cbc:UUID><cbc:IssueDate>');
    expect(await rulesBroken('OrderResponse', unused)).not.toEqual([]);
  });

  it('S021 Invoice follows BIS Billing 3.0', async () => {
    expect(await rulesBroken('Invoice', without('BuyerReference'))).toEqual([]);
    const unreferenced = (xml: string) =>
      without('BuyerReference')(xml).replace(/\s*<cac:OrderReference>[\s\S]*?<\/cac:OrderReference>/, '');
    expect(await rulesBroken('Invoice', unreferenced)).toEqual(['PEPPOL-EN16931-R003']);
  });

  it('S022 CreditNote follows BIS Billing 3.0', async () => {
    expect(await rulesBroken('CreditNote', without('CreditNoteTypeCode'))).toContain('BR-04');
  });

  it('S023 Order follows the order rules', async () => {
    expect(await rulesBroken('Order', without('DocumentCurrencyCode'))).toContain('PEPPOL-T01-B00105');
  });

  it('S024 OrderResponse follows the order rules', async () => {
    const unknown = (xml: string) => xml.replace(/<cbc:OrderResponseCode>[^<]*/, '<cbc:OrderResponseCode>XX');
    expect(await rulesBroken('OrderResponse', unknown)).toContain('PEPPOL-T76-B00801');
  });

  it('S325 the customization identifier selects the profile', async () => {
    const general = (xml: string) => xml.replace(/(<cbc:CustomizationID>urn:cen\.eu:en16931:2017)[^<]*/, '$1');
    const unaddressed = (xml: string) => xml.replace(/ schemeID="0088">(\d{12})\d</, ' schemeID="0088">$10<');
    expect(await rulesBroken('Invoice', unaddressed)).toContain('PEPPOL-COMMON-R040');
    expect(await rulesBroken('Invoice', (xml) => general(unaddressed(xml)))).not.toContain('PEPPOL-COMMON-R040');
  });
});

describe('PINT', () => {
  const EU = 'urn:peppol:pint:billing-1@en16931-2017@eu-3';
  const numbered = (bytes: Uint8Array): Uint8Array => changed(bytes, ['<cbc:ID>1001</cbc:ID>', `<cbc:ID>${fresh()}</cbc:ID>`]);
  const spelt: Change = [/urn:peppol:pint:billing-1@eu-1/, EU];

  it.each([
    ['S030', 'pint'],
    ['S031', 'pint-jp'],
    ['S032', 'pint-sg'],
    ['S033', 'pint-aunz'],
    ['S034', 'pint-my'],
    ['S035', 'pint-eu'],
    ['S036', 'pint-ae'],
  ] as const)('%s S037 %s: invoices and credit notes go through their ordinary endpoints', async (_, name) => {
    const changes = name === 'pint-eu' ? [spelt] : [];
    const invoiced = await send('Invoice', numbered(invoiceOf(name, ...changes)));
    expect([invoiced.status, invoiced.json.data]).toEqual([200, expect.anything()]);
    const credited = await send('CreditNote', numbered(creditNoteOf(name, ...changes) ?? new Uint8Array()));
    expect([credited.status, credited.json.data]).toEqual([200, expect.anything()]);
  });

  it('S325 is judged by its own jurisdiction', async () => {
    const taxed = changed(invoiceOf('pint-aunz'), [/>GST</g, '>VAT<']);
    const { status, json } = await send('Invoice', numbered(taxed));
    expect(status).toBe(422);
    expect(json.metadata.details[0].rule).toMatch(/^aligned-ibrp/);
  });
});

describe('attachments', () => {
  const ofType = (mediaType: string): string =>
    text(invoice({ id: fresh(), attachmentBytes: 300 })).replace(/mimeCode="[^"]*"/, `mimeCode="${mediaType}"`);

  it.each([
    'application/pdf',
    'image/png',
    'image/jpeg',
    'text/csv',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    'application/vnd.oasis.opendocument.spreadsheet',
  ])('S038 S039 may be %s', async (mediaType) => {
    expect((await send('Invoice', ofType(mediaType))).status).toBe(200);
  });

  it('S039 may not be a web page; the sentence names what may be', async () => {
    const { status, json } = await send('Invoice', ofType('text/html'));
    expect(status).toBe(422);
    expect(json.metadata.details[0].message).toContain('application/pdf');
  });
});
