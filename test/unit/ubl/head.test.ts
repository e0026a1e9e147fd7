import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { AppError } from '#domain/error.ts';
import { FAMILY_NAMES } from '#domain/family.ts';
import { createHeadReader, readHead } from '#ubl/head.ts';
import { readTree } from '#ubl/read.ts';
import { CAC, CBC } from '#ubl/tree.ts';
import { jsonOf } from '#ubl/write-json.ts';
import { BUYER, documentOf, invoice, invoiceOfSize, SELLER } from '../../support/documents.ts';

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

function refusal(bytes: Uint8Array | string): AppError {
  try {
    readHead(typeof bytes === 'string' ? utf8(bytes) : bytes);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('it has a head');
}

const INVOICE = 'urn:oasis:names:specification:ubl:schema:xsd:Invoice-2';
const party = (role: string, endpoint: string): string =>
  `<c:${role}><c:Party><b:EndpointID ${endpoint}</b:EndpointID></c:Party></c:${role}>`;
const handmade = (content: string): string => `<i:Invoice xmlns:b='${CBC}' xmlns:i="${INVOICE}" xmlns:c="${CAC}">${content}</i:Invoice>`;
const PARTIES = party('AccountingSupplierParty', 'x="y" schemeID="0088">1') + party('AccountingCustomerParty', "schemeID='0007'>\n ABC ");

describe('the head of a document', () => {
  it('of an invoice', () => {
    expect(readHead(readFileSync('test/fixtures/invoice.xml'))).toEqual({
      family: 'Invoice',
      documentId: '2026-0042',
      sender: SELLER,
      receiver: BUYER,
      customizationId: 'urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0',
      profileId: 'urn:fdc:peppol.eu:2017:poacc:billing:01:1.0',
      issueDate: '2026-03-02',
      names: {
        sender: ['Northern Paper Supplies', 'Northern Paper Supplies AB'],
        receiver: ['Lakeside Printing', 'Lakeside Printing AB'],
      },
      enveloped: false,
      notation: 'xml',
    });
  });

  it('has the names of each party once, some of however many, and of a self-billed document those of who sends it', () => {
    const called = (role: string, endpoint: string, ...names: string[]): string => {
      const legal = names.map((name) => `<c:PartyLegalEntity><b:RegistrationName>${name}</b:RegistrationName></c:PartyLegalEntity>`);
      return `<c:${role}><c:Party><b:EndpointID ${endpoint}</b:EndpointID>${legal.join('')}</c:Party></c:${role}>`;
    };
    const supplier = called('AccountingSupplierParty', 'schemeID="0088">1', ' Acme\n  AB ', 'Acme AB', '', 'Acme', 'Acme Holding');
    const customer = called('AccountingCustomerParty', 'schemeID="0088">2', 'x'.repeat(300));
    const names = (more = ''): unknown => readHead(utf8(handmade(`${more}<b:ID>7</b:ID>${supplier}${customer}`))).names;
    const [ofSupplier, ofCustomer] = [['Acme AB', 'Acme'], ['x'.repeat(200)]];
    expect(names()).toEqual({ sender: ofSupplier, receiver: ofCustomer });
    expect(names('<b:InvoiceTypeCode>389</b:InvoiceTypeCode>')).toEqual({ sender: ofCustomer, receiver: ofSupplier });
  });

  it.each(FAMILY_NAMES)('of the family %s, in XML and in JSON', (family) => {
    const bytes = documentOf(family, { id: 'X-1' });
    const head = readHead(bytes);
    expect(head).toMatchObject({ family, documentId: 'X-1', sender: SELLER, receiver: BUYER, notation: 'xml' });
    expect(readHead(utf8(`{"${family}":${jsonOf(readTree(bytes))}}`))).toEqual({ ...head, notation: 'json' });
  });

  it('does not depend on prefixes, quotes, order or white space; values are trimmed, participants in lower case', () => {
    const head = readHead(utf8(handmade(`${PARTIES}<b:ID>\n 7 </b:ID>`)));
    expect(head).toMatchObject({ documentId: '7', sender: '0088:1', receiver: '0007:abc', profileId: null, issueDate: null });
  });

  it('does not count names in another namespace, or in another place', () => {
    const error = refusal(handmade(`${PARTIES}<ID>1</ID><c:ID>2</c:ID><c:Signature><b:ID>3</b:ID></c:Signature>`));
    expect(error.code).toBe('invalid');
    expect(error.facts.details).toMatchObject([{ rule: 'head-id', path: '/Invoice/cbc:ID' }]);
  });

  it('says all that is missing, with the place and what to write', () => {
    expect(refusal(`<Invoice xmlns="${INVOICE}"/>`).facts.details).toMatchObject([
      { rule: 'head-id', severity: 'fatal', path: '/Invoice/cbc:ID' },
      { rule: 'head-sender', path: '/Invoice/cac:AccountingSupplierParty/cac:Party/cbc:EndpointID' },
      { rule: 'head-receiver', path: '/Invoice/cac:AccountingCustomerParty/cac:Party/cbc:EndpointID' },
    ]);
    const unusable = refusal(
      handmade(`<b:ID>1</b:ID>${party('AccountingSupplierParty', '>1')}${party('AccountingCustomerParty', 'schemeID="GLN">1')}`),
    );
    expect(unusable.message).toMatch(/sender is not usable: EndpointID needs a schemeID.*receiver is not usable/);
  });

  it('refuses what occurs twice', () => {
    expect(refusal(handmade(`${PARTIES}<b:ID>1</b:ID>\n<b:ID>2</b:ID>`)).facts.details).toMatchObject([{ rule: 'head-once', line: 3 }]);
  });

  it.each([
    ['the profile', { from: /poacc:billing:01:1.0/, to: 'poacc:selfbilling:01:1.0' }],
    ['the type code', { from: />380</, to: '>389<' }],
  ])('a self-billed invoice travels from customer to supplier: by %s', (_, { from, to }) => {
    const head = readHead(utf8(text(invoice()).replace(from, to)));
    expect(head).toMatchObject({ sender: BUYER, receiver: SELLER });
  });

  it('opens an SBDH envelope', () => {
    const sbdh = 'http://www.unece.org/cefact/namespaces/StandardBusinessDocumentHeader';
    const wrap = (payload: string): string =>
      `<s:StandardBusinessDocument xmlns:s="${sbdh}"><s:StandardBusinessDocumentHeader><s:HeaderVersion>1.0</s:HeaderVersion></s:StandardBusinessDocumentHeader>${payload}</s:StandardBusinessDocument>`;
    const payload = text(invoice()).replace(/<\?xml.*\?>/, '');
    expect(readHead(utf8(wrap(payload)))).toEqual({ ...readHead(invoice()), enveloped: true });
    expect(refusal(wrap('')).message).toMatch(/envelope.*holds no document/);
    expect(refusal(wrap(payload + payload)).message).toMatch(/more than one document/);
  });

  it.each([
    ['<rsm:CrossIndustryInvoice xmlns:rsm="urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100"/>', /CII invoice.*UBL 2\.1/],
    [
      '<ApplicationResponse xmlns="urn:oasis:names:specification:ubl:schema:xsd:ApplicationResponse-2"/>',
      /UBL ApplicationResponse, which is not exchanged/,
    ],
    ['<Invoice/>', /Invoice has no namespace.*Invoice-2/],
    ['<Faktura/>', /root element is 'Faktura'/],
    ['%PDF-1.7 and so on', /PDF/],
    ['PK\x03\x04 and so on', /ZIP/],
    ["UNA:+.? 'UNB+UNOC:3+", /EDIFACT/],
    ['UNB+UNOC:3+730001+', /EDIFACT/],
    ['Dear sirs, attached', /neither XML nor JSON/],
    ['\0\x01\x02\x03\x04\x05\x06\x07\x08', /binary data/],
    ['', /^The file is empty/],
    [' \n\t ', /ends too early/],
    ['{"Invoice":{"ID":"1","ID":"2"}}', /stands twice/],
    ['[{"Invoice":{}}]', /list of documents/],
    ['{"Invoice":', /ends too early/],
  ])('names what %j is', (bytes, sentence) => {
    expect(refusal(bytes).message).toMatch(sentence);
  });

  it('recognises gzip', () => {
    expect(refusal(Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0)).message).toMatch(/gzip/);
  });

  it('reads byte by byte, and to the end: what is broken after the head is refused', () => {
    const reader = createHeadReader();
    for (const byte of invoice()) reader.write(Uint8Array.of(byte));
    expect(reader.end()).toEqual(readHead(invoice()));
    expect(refusal(text(invoice()).replace('</cac:InvoiceLine>', '</cac:Line>')).code).toBe('unreadable');
    const { facts } = refusal(invoice().subarray(0, 4000));
    // Who sends it is known at its end only.
    expect(facts).toEqual({ truncated: true, seenHead: { family: 'Invoice', documentId: '1001', sender: null, receiver: null } });
  });

  it('reads an invoice of exactly the size that was asked for', () => {
    for (const size of [20_000, 20_001, 20_002, 20_003]) {
      const bytes = invoiceOfSize(size);
      expect(bytes).toHaveLength(size);
      expect(readHead(bytes).documentId).toBe('1001');
    }
  });
});
