import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AppError } from '#domain/error.ts';
import { FAMILY_NAMES } from '#domain/family.ts';
import { located } from '#ubl/json-places.ts';
import { readTree } from '#ubl/read.ts';
import { readJsonTree } from '#ubl/read-json.ts';
import { CAC, CBC, EXT, type XmlElement } from '#ubl/tree.ts';
import { writeXml } from '#ubl/write.ts';
import { jsonOf, writeJson } from '#ubl/write-json.ts';
import { documentOf, invoice } from '../../support/documents.ts';

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const NAMESPACES = `xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2" xmlns:cbc="${CBC}" xmlns:cac="${CAC}" xmlns:ext="${EXT}"`;
const xmlInvoice = (content: string): XmlElement => readTree(utf8(`<Invoice ${NAMESPACES}>${content}</Invoice>`));
const jsonInvoice = (content: string): XmlElement => readJsonTree(utf8(`{"Invoice":${content}}`));
const names = (element: XmlElement): string[] => element.children.map(({ name }) => name);

function findingsOf(text: string): unknown {
  try {
    readJsonTree(utf8(text));
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid' && Array.isArray(error.facts.details)) {
      return error.facts.details.map(({ line: _, column: __, ...rest }) => rest);
    }
    throw error;
  }
  return [];
}

describe('UBL JSON out', () => {
  it.each(FAMILY_NAMES)('%s: XML to JSON to XML to JSON loses nothing', (family) => {
    const json = writeJson(readTree(documentOf(family, { note: 'Ärger & <Freude> "1"' })));
    expect(writeJson(readTree(writeXml(readJsonTree(json))))).toEqual(json);
  });

  it('S002 writes amounts and quantities as numbers with the same digits, indicators as booleans, the rest as strings', () => {
    const xml = `<cbc:ID>007</cbc:ID><cbc:IssueDate>2026-03-31</cbc:IssueDate><cac:AllowanceCharge><cbc:ChargeIndicator> false </cbc:ChargeIndicator>
      <cbc:Amount currencyID="EUR">292.20</cbc:Amount><cbc:BaseAmount>+1</cbc:BaseAmount><cbc:PerUnitAmount>007</cbc:PerUnitAmount></cac:AllowanceCharge>`;
    expect(jsonOf(xmlInvoice(xml))).toBe(
      '{"ID":{"_":"007"},"IssueDate":{"_":"2026-03-31"},"AllowanceCharge":[{"ChargeIndicator":{"_":false},"Amount":{"_":292.20,"currencyID":"EUR"},"BaseAmount":{"_":"+1"},"PerUnitAmount":{"_":"007"}}]}',
    );
  });

  it('keeps white space around a number, which rules about decimals count', () => {
    const xml = '<cac:TaxTotal><cbc:TaxAmount currencyID="EUR">1.20 </cbc:TaxAmount></cac:TaxTotal>';
    expect(jsonOf(xmlInvoice(xml))).toContain('"TaxAmount":{"_":"1.20 ","currencyID":"EUR"}');
  });

  it('writes a list exactly where the model allows more than one', () => {
    const xml = '<cbc:Note>one</cbc:Note><cac:AccountingSupplierParty><cac:Party/></cac:AccountingSupplierParty>';
    expect(jsonOf(xmlInvoice(xml))).toBe('{"Note":[{"_":"one"}],"AccountingSupplierParty":{"Party":{}}}');
  });

  it('follows UBL 2.3 where Peppol does', () => {
    const json =
      '{"CustomizationID":{"_":"urn:fdc:peppol.eu:poacc:trns:order_response_advanced:3"},"OrderChangeDocumentReference":[{"ID":{"_":"1"}}]}';
    expect(jsonOf(readJsonTree(utf8(`{"OrderResponse":${json}}`)))).toBe(json);
    expect(findingsOf(`{"OrderResponse":${json.replace('_advanced', '')}}`)).toMatchObject([
      { rule: 'ubl-element', pointer: '/OrderResponse/OrderChangeDocumentReference' },
    ]);
  });

  it('keeps the content of an extension as XML in a string', () => {
    const xml = `<ext:UBLExtensions><ext:UBLExtension><ext:ExtensionURI>urn:x</ext:ExtensionURI><ext:ExtensionContent><x:y xmlns:x="urn:x" z="1">t</x:y></ext:ExtensionContent></ext:UBLExtension></ext:UBLExtensions>`;
    const json = jsonOf(xmlInvoice(xml));
    expect(json).toContain(
      '"UBLExtension":[{"ExtensionURI":{"_":"urn:x"},"ExtensionContent":{"_":"<y xmlns=\\"urn:x\\" z=\\"1\\">t</y>"}}]',
    );
    const again = readTree(writeXml(jsonInvoice(json)));
    expect(again.children[0]?.children[0]?.children[1]?.children[0]).toMatchObject({ name: 'y', namespace: 'urn:x', text: 't' });
  });
});

describe('UBL JSON in', () => {
  it('S002 reads the model shape, the legacy shape, both mixed, bare values and namespace keys alike', () => {
    const model = '{"Invoice":{"ID":{"_":"1"},"Note":[{"_":"a"},{"_":"b"}],"PayeeParty":{"PartyName":[{"Name":{"_":"N"}}]}}}';
    const legacy = `{"_D":"urn:oasis:names:specification:ubl:schema:xsd:Invoice-2","_A":"${CAC}","_B":"${CBC}","_E":"${EXT}","_S":"urn:oasis:names:specification:ubl:schema:xsd:CommonSignatureComponents-2","Invoice":[{"ID":[{"_":"1"}],"Note":[{"_":"a"},{"_":"b"}],"PayeeParty":[{"PartyName":[{"Name":[{"_":"N"}]}]}]}]}`;
    const mixed = '{"Invoice":{"PayeeParty":[{"PartyName":{"Name":"N"}}],"Note":["a",{"_":"b"}],"ID":1}}';
    const expected = writeXml(readJsonTree(utf8(model)));
    expect(writeXml(readJsonTree(utf8(legacy)))).toEqual(expected);
    expect(writeXml(readJsonTree(utf8(mixed)))).toEqual(expected);
  });

  it.each(['toString', 'constructor', '__proto__', 'Order'])('has one root, and no %s beside it', (other) => {
    expect(findingsOf(`{"Invoice":{"ID":"1"},"${other}":{"ID":"2"}}`)).toMatchObject([{ rule: 'json-shape', pointer: '' }]);
  });

  it('puts elements into the order of the model, whatever the order of the properties', () => {
    const root = jsonInvoice(
      '{"InvoiceLine":[],"IssueDate":"2026-03-31","Note":["2","1"],"CustomizationID":"c","ID":"1","LegalMonetaryTotal":{}}',
    );
    expect(names(root)).toEqual(['CustomizationID', 'ID', 'IssueDate', 'Note', 'Note', 'LegalMonetaryTotal']);
    expect(root.children.filter(({ name }) => name === 'Note').map(({ text }) => text)).toEqual(['2', '1']);
  });

  it('keeps the digits of numbers', () => {
    const [total] = jsonInvoice('{"LegalMonetaryTotal":{"PayableAmount":{"_":12345678901234567890.10,"currencyID":"EUR"}}}').children;
    expect(total?.children[0]?.text).toBe('12345678901234567890.10');
  });

  it.each([
    ['{"Invoice":{"ID":null}}', '/Invoice/ID', 'json-shape', /leave the element out/],
    ['{"Invoice":{"ID":{"schemeID":"1"}}}', '/Invoice/ID', 'json-shape', /under the key _/],
    ['{"Invoice":{"ID":{"_":{}}}}', '/Invoice/ID/_', 'json-shape', /a string, a number/],
    ['{"Invoice":{"ID":{"_":"1","schemeID":{}}}}', '/Invoice/ID/schemeID', 'json-shape', /a string, a number/],
    ['{"Invoice":{"Note":["a",["b"]]}}', '/Invoice/Note/1', 'json-shape', /lists in lists/],
    ['{"Invoice":{"PayeeParty":"Acme"}}', '/Invoice/PayeeParty', 'json-shape', /holds elements: write an object/],
    ['{"Invoice":{"ID":["1","2"]}}', '/Invoice/ID/1', 'ubl-cardinality', /one ID at most/],
    ['{"Invoice":{"ID":"\\u0007"}}', '/Invoice/ID', 'ubl-type', /U\+0007, which XML does not have/],
    ['{"Invoice":{"ID":{"_":"1","schemeID":"\\ufffe"}}}', '/Invoice/ID/schemeID', 'ubl-type', /U\+FFFE/],
    ['{"Invoice":{"IssueDat":"1"}}', '/Invoice/IssueDat', 'ubl-element', /did you mean IssueDate\?/],
    ['{"Invoice":{"Zzz/~":"1"}}', '/Invoice/Zzz~1~0', 'ubl-element', /remove it/],
    ['{"Invoice":{"cbc:ID":"1"}}', '/Invoice/cbc:ID', 'ubl-element', /without a prefix: ID/],
    ['{"Invoice":{"_":"1"}}', '/Invoice/_', 'ubl-element', /no value/],
    ['{"Invoice":{"__proto__":"1"}}', '/Invoice/__proto__', 'ubl-element', /no element of Invoice/],
    ['{"Invoice":{"currencyID":"EUR"}}', '/Invoice/currencyID', 'ubl-attribute', /beside its element's value/],
    ['{"Invoice":{"ID":{"_":"1","schemaID":"2"}}}', '/Invoice/ID/schemaID', 'ubl-attribute', /did you mean schemeID\?/],
    ['{"Invoice":{"IssueDate":{"_":"1","a":"2"}}}', '/Invoice/IssueDate/a', 'ubl-attribute', /has no attributes/],
    ['{"_D":"x","Invoice":{}}', '/_D', 'ubl-namespace', /must be 'urn:oasis/],
    ['{"Quotation":{}}', '/Quotation', 'ubl-root', /no document that is known here/],
    ['{"Invoice":{},"Order":{}}', '', 'json-shape', /exactly one root/],
    ['{}', '', 'json-shape', /exactly one root/],
    ['{"Invoice":[{},{}]}', '/Invoice', 'json-shape', /list of documents/],
    ['{"Invoice":"1"}', '/Invoice', 'json-shape', /holds elements/],
    ['[{"Invoice":{}}]', '', 'json-shape', /list of documents/],
    ['"Invoice"', '', 'json-shape', /must be an object/],
  ])('refuses %s and points at it', (text, pointer, rule, sentence) => {
    expect(findingsOf(text)).toEqual([{ rule, severity: 'fatal', pointer, message: expect.stringMatching(sentence) }]);
  });

  it('keeps text between the elements of an extension where it stands', () => {
    const content = '<p xmlns="urn:x">one<b>two</b> <b>three</b>four<i/> five</p>';
    const json = `{"UBLExtensions":{"UBLExtension":[{"ExtensionContent":{"_":${JSON.stringify(content)}}}]}}`;
    expect(jsonOf(readTree(writeXml(jsonInvoice(json))))).toBe(json);
  });

  it.each([
    ['{"y":"1"}', /no form in JSON/],
    ['{"_":"<x"}', /cannot be read.*ends too early/],
    ['{"_":"<x/><y/>"}', /cannot be read/],
    [`{"_":"${'<x>'.repeat(62)}${'</x>'.repeat(62)}"}`, /inside each other/],
  ])('refuses the content %s of an extension', (content, sentence) => {
    const text = `{"Invoice":{"UBLExtensions":{"UBLExtension":{"ExtensionContent":${content}}}}}`;
    const pointer = '/Invoice/UBLExtensions/UBLExtension/ExtensionContent';
    expect(findingsOf(text)).toEqual([{ rule: 'ubl-extension', severity: 'fatal', pointer, message: expect.stringMatching(sentence) }]);
  });

  it('tells all that is wrong at once, up to a limit', () => {
    expect(findingsOf('{"Invoice":{"Foo":1,"ID":{"bar":2,"_":1},"InvoiceLine":[{"ID":1},{"Baz":3}]}}')).toMatchObject([
      { pointer: '/Invoice/Foo' },
      { pointer: '/Invoice/ID/bar' },
      { pointer: '/Invoice/InvoiceLine/1/Baz' },
    ]);
    const many = Array.from({ length: 150 }, (_, at) => `"Foo${at}":1`).join(',');
    expect(findingsOf(`{"Invoice":{${many}}}`)).toHaveLength(100);
  });

  it('tells the line and column of what is wrong, as far as the pointer leads', () => {
    const text = '{\n  "Invoice": {\n    "ID": {"_": "1", "bar": 2},\n    "Note": ["é\\"", null]\n  }\n}';
    try {
      readJsonTree(utf8(text));
      expect.unreachable();
    } catch (error) {
      expect(error instanceof AppError && error.facts.details).toMatchObject([
        { pointer: '/Invoice/ID/bar', line: 3, column: 29 },
        { pointer: '/Invoice/Note/1', line: 4, column: 21 },
      ]);
    }
    const behind = '{"Invoice":{"Note":"a \\\\","ID":"b"}}';
    const id = [{ rule: 'x', severity: 'fatal', message: 'y', pointer: '/Invoice/ID' }] as const;
    expect(located(id, utf8(behind))).toMatchObject([{ line: 1, column: behind.indexOf('"b"') + 1 }]);
    const findings = [{ rule: 'x', severity: 'fatal', message: 'y', pointer: '/Invoice/ID/schemeID' }] as const;
    expect(located(findings, utf8(text))).toMatchObject([{ line: 3, column: 11 }]);
  });

  it('has the limits of XML on depth and elements', () => {
    const deep = (levels: number): string => `{"PayeeParty":${'{"AgentParty":'.repeat(levels)}{}${'}'.repeat(levels)}}`;
    expect(readTree(writeXml(jsonInvoice(deep(62)))).name).toBe('Invoice');
    expect(findingsOf(`{"Invoice":${deep(63)}}`)).toMatchObject([
      { message: expect.stringMatching(/more than 64 elements inside each other/) },
    ]);
    const content = (levels: number): string => JSON.stringify(`${'<x xmlns="urn:x">'.repeat(levels)}${'</x>'.repeat(levels)}`);
    const extended = (levels: number): string => `{"UBLExtensions":{"UBLExtension":{"ExtensionContent":{"_":${content(levels)}}}}}`;
    expect(readTree(writeXml(jsonInvoice(extended(60)))).name).toBe('Invoice');
    expect(findingsOf(`{"Invoice":${extended(61)}}`)).toMatchObject([{ rule: 'ubl-extension' }]);
    const attributed = Array.from({ length: 90_000 }, () => '{"_":"","schemeID":"","schemeName":"","schemeURI":""}');
    const parties = `{"PartyIdentification":[${attributed.map((id) => `{"ID":${id}}`).join(',')}]}`;
    expect(findingsOf(`{"Invoice":{"PayeeParty":${parties}}}`)).toMatchObject([
      { message: expect.stringMatching(/more than 250000 attributes/) },
    ]);
    const extensions = `{"UBLExtension":[${`{"ExtensionContent":{"_":"<x>${'<y/>'.repeat(9_999)}</x>"}},`.repeat(26)}{"ExtensionContent":""}]}`;
    expect(findingsOf(`{"Invoice":{"UBLExtensions":${extensions}}}`)).toMatchObject([
      { message: expect.stringMatching(/more than 250000 elements/) },
    ]);
    const wide = `[${'"",'.repeat(250_000)}""]`;
    expect(findingsOf(`{"Invoice":{"Note":${wide}}}`)).toMatchObject([{ message: expect.stringMatching(/more than 250000 elements/) }]);
  });
});

describe('long texts', () => {
  const note = (text: string): string => JSON.stringify({ Note: [text] });

  it('are as long as XML may have them, and no longer', () => {
    expect(readTree(writeXml(jsonInvoice(note('&'.repeat(199_000))))).children[0]?.text).toHaveLength(199_000);
    expect(findingsOf(`{"Invoice":${note('&'.repeat(201_000))}}`)).toMatchObject([{ rule: 'json-shape', pointer: '/Invoice/Note/0' }]);
    const long = { _: 'x'.repeat(1_000_000), languageID: 'y'.repeat(90_000), languageLocaleID: 'z'.repeat(90_000) };
    expect(readTree(writeXml(jsonInvoice(JSON.stringify({ Note: [long] })))).children[0]?.text).toHaveLength(1_000_000);
    expect(findingsOf(JSON.stringify({ Invoice: { Note: { _: '', languageID: 'y'.repeat(90_001) } } }))).toMatchObject([
      { rule: 'json-shape', pointer: '/Invoice/Note/languageID' },
    ]);
    expect(findingsOf(`{"Invoice":${note('x'.repeat(1_000_001))}}`)).toMatchObject([{ rule: 'json-shape', pointer: '/Invoice/Note/0' }]);
  });

  it('are attachments, of any length', () => {
    const attachment = { _: 'QUJD'.repeat(1_000_000), mimeCode: 'text/csv' };
    const json = JSON.stringify({ AdditionalDocumentReference: [{ Attachment: { EmbeddedDocumentBinaryObject: attachment } }] });
    expect(jsonOf(readTree(writeXml(jsonInvoice(json))))).toBe(json);
  });
});

describe('any order, shape and text', () => {
  const root = readJsonTree(writeJson(readTree(invoice({ lines: 3 }))));
  const expected = writeXml(root);

  /** The JSON of a tree with properties shuffled, lists where none are needed, and bare values. */
  function spelt({ children, attributes, text }: XmlElement, random: () => number): unknown {
    if (children.length === 0) {
      if (attributes.size === 0 && random() < 0.3) return text;
      return Object.fromEntries([...attributes, ['_', text]].sort(() => random() - 0.5));
    }
    const byName = Map.groupBy(children, ({ name }) => name);
    const members = [...byName].map(([name, alike]): [string, unknown] => {
      const values = alike.map((child) => spelt(child, random));
      return [name, values.length === 1 && random() < 0.5 ? values[0] : values];
    });
    return Object.fromEntries(members.sort(() => random() - 0.5));
  }

  it('is read as the same document', () => {
    fc.assert(
      fc.property(fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })), (stream) => {
        const document = { [root.name]: spelt(root, () => stream.next().value ?? 0) };
        expect(writeXml(readJsonTree(utf8(JSON.stringify(document))))).toEqual(expected);
      }),
      { numRuns: 50 },
    );
  });

  it('survives JSON and XML', () => {
    const texts = fc.string({
      unit: fc.oneof(fc.constantFrom('\t', '\n', '\r', '<', '&', ']', '"', '\\'), fc.string({ unit: 'grapheme', maxLength: 1 })),
    });
    fc.assert(
      fc.property(texts, texts, (text, attribute) => {
        const json = writeJson(jsonInvoice(JSON.stringify({ Note: [{ _: text, languageID: attribute }] })));
        const [note] = readTree(writeXml(readJsonTree(json))).children;
        expect([note?.text, note?.attributes.get('languageID')]).toEqual([text, attribute]);
        expect(writeJson(readTree(writeXml(readJsonTree(json))))).toEqual(json);
      }),
    );
  });
});
