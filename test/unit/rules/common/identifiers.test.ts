import { describe, expect, it } from 'vitest';
import { noEmptyElements } from '#rules/common/empty-elements.ts';
import { PEPPOL_IDENTIFIERS } from '#rules/common/identifiers.ts';
import { compile } from '#rules/engine/engine.ts';
import { readTree } from '#ubl/read.ts';
import { CAC, CBC } from '#ubl/tree.ts';

const NAMESPACES = `xmlns="urn:oasis:names:specification:ubl:schema:xsd:Order-2" xmlns:cac="${CAC}" xmlns:cbc="${CBC}"`;
const patterns = [PEPPOL_IDENTIFIERS, noEmptyElements('EMPTY')];
const judge = compile([{ name: 'test', release: '1', from: '2026-01-01', patterns }]);

const findings = (content: string) => judge(readTree(new TextEncoder().encode(`<Order ${NAMESPACES}>${content}</Order>`))).findings;
const fired = (content: string): string[] => findings(content).map(({ rule, severity }) => `${rule} ${severity}`);
const endpoint = (scheme: string, value: string): string[] => fired(`<cbc:EndpointID schemeID="${scheme}">${value}</cbc:EndpointID>`);

describe('identifiers of parties', () => {
  it.each([
    ['0088', '7300010000001', '7300010000002', 'PEPPOL-COMMON-R040 fatal'],
    ['0192', '974760673', '974760674', 'PEPPOL-COMMON-R041 fatal'],
    ['0184', 'DK12345678', ' DK12345678', 'PEPPOL-COMMON-R042 fatal'],
    ['0184', '12345678', '123456789', 'PEPPOL-COMMON-R042 fatal'],
    ['0096', '1234567890', '123456789', 'PEPPOL-COMMON-R052 fatal'],
    ['0198', 'DK12345678', '12345678', 'PEPPOL-COMMON-R053 fatal'],
    ['0208', ' 0403170701 ', '0403170702', 'PEPPOL-COMMON-R043 fatal'],
    ['0201', 'UFY9MH', 'UFY9M', 'PEPPOL-COMMON-R044 warning'],
    ['0210', 'RSSMRA85T10A562S', 'RSSMRA', 'PEPPOL-COMMON-R045 warning'],
    ['9907', '12345678901', '1', 'PEPPOL-COMMON-R046 warning'],
    ['0211', 'IT00743110157', 'IT00743110158', 'PEPPOL-COMMON-R047 warning'],
    ['0007', '5560360793', '5560360794', 'PEPPOL-COMMON-R049 fatal'],
    ['0151', '51824753556', '51824753557', 'PEPPOL-COMMON-R050 fatal'],
    ['0106', '12345678', '1234567', 'PEPPOL-COMMON-R054 warning'],
    ['0190', '12345678901234567890', '1', 'PEPPOL-COMMON-R055 warning'],
    ['9944', 'NL123456789B12', 'NL123456789', 'PEPPOL-COMMON-R056-1 warning'],
    ['0217', '123456789012', '12345678901', 'PEPPOL-COMMON-R057 warning'],
  ])('of scheme %s have its form', (scheme, good, bad, finding) => {
    expect(endpoint(scheme, good)).toEqual([]);
    expect(endpoint(scheme, bad)).toEqual([finding]);
  });

  it('are looked at as endpoints, identifications and company numbers', () => {
    const wrong = '<cbc:ID schemeID="0192">1</cbc:ID>';
    expect(fired(`<cac:PartyIdentification>${wrong}</cac:PartyIdentification>`)).toEqual(['PEPPOL-COMMON-R041 fatal']);
    expect(fired('<cbc:CompanyID schemeID="0192">1</cbc:CompanyID>')).toEqual(['PEPPOL-COMMON-R041 fatal']);
    expect(fired(wrong)).toEqual([]);
    expect(fired('<cbc:CompanyID schemeID="9907">1</cbc:CompanyID>')).toEqual([]);
  });

  it('have a form as a Dutch VAT number', () => {
    const scheme = (id: string, company: string) =>
      fired(
        `<cac:PartyTaxScheme><cbc:CompanyID>${company}</cbc:CompanyID><cac:TaxScheme><cbc:ID>${id}</cbc:ID></cac:TaxScheme></cac:PartyTaxScheme>`,
      );
    expect(scheme('VAT', 'NL1')).toEqual(['PEPPOL-COMMON-R056-2 warning']);
    expect(scheme('TAX', 'NL1')).toEqual([]);
    expect(scheme('VAT', 'BE1')).toEqual([]);
  });

  it('are told with the form that is asked for', () => {
    const [finding] = findings('<cbc:EndpointID schemeID="0192">974760674</cbc:EndpointID>');
    expect(finding?.message).toBe(
      "'974760674' is not a Norwegian organisation number (schemeID 0192): 9 digits, the last one a check digit. Correct the number or its schemeID.",
    );
  });
});

describe('empty elements', () => {
  it('are told, whatever attributes they have; a no-break space is a character', () => {
    expect(fired('<cbc:Note languageID="en"> \n </cbc:Note>')).toEqual(['EMPTY fatal']);
    expect(fired('<cbc:Note>\u00a0</cbc:Note>')).toEqual([]);
  });
});
