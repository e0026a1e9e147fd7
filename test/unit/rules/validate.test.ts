import { describe, expect, it } from 'vitest';
import { PROFILES, profileOf } from '#rules/profiles.ts';
import type { RuleSet } from '#rules/rule.ts';
import { RULE_SETS, ruleSetOn } from '#rules/rule-sets.ts';
import { validate } from '#rules/validate.ts';
import { readTree } from '#ubl/read.ts';
import { writeJson } from '#ubl/write-json.ts';
import { documentOf, invoice } from '../../support/documents.ts';
import { changed } from '../../support/judged.ts';

const DAY = { day: '2026-06-01' };
const customized = (id: string): Uint8Array => changed(invoice(), [/(<cbc:CustomizationID>)[^<]*/, `$1${id}`]);
const profileNamed = (id: string): string | undefined => profileOf(readTree(customized(id)))?.name;

describe('the profile of a document', () => {
  const EN = 'urn:cen.eu:en16931:2017';

  it.each([
    [`${EN}#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0`, 'peppol-billing'],
    [`  ${EN}#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0  `, 'peppol-billing'],
    [`${EN}#compliant#urn:fdc:peppol.eu:2017:poacc:selfbilling:3.0`, 'peppol-selfbilling'],
    [`${EN}#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0`, 'en16931'],
    [EN, 'en16931'],
    ['urn:peppol:pint:billing-1', 'pint'],
    ['urn:peppol:pint:billing-1@jp-1', 'pint-jp'],
    ['urn:peppol:pint:billing-1@eu-1', 'pint-eu'],
    ['urn:peppol:pint:billing-1@en16931-2017@eu-3', 'pint-eu'],
    ['urn:peppol:pint:billing-1@xx-1', undefined],
    ['urn:fdc:peppol.eu:poacc:trns:order:3', undefined],
    ['', undefined],
  ])('%s is %s', (id, name) => expect(profileNamed(id)).toBe(name));

  it('allows an order a minor version, and nothing that merely begins alike', () => {
    const order = (id: string) => profileOf(readTree(changed(documentOf('Order'), [/(<cbc:CustomizationID>)[^<]*/, `$1${id}`])))?.name;
    expect(order('urn:fdc:peppol.eu:poacc:trns:order:3:1')).toBe('order');
    expect(order('urn:fdc:peppol.eu:poacc:trns:order:31')).toBeUndefined();
  });

  it('has rule sets for every profile', () => {
    for (const { ruleSets } of PROFILES) for (const name of ruleSets) expect(RULE_SETS.map((one) => one.name)).toContain(name);
  });
});

describe('a release of a rule set', () => {
  const spring: RuleSet = { name: 'x', release: '1', from: '2026-05-01', until: '2026-11-15', patterns: [] };
  const autumn: RuleSet = { name: 'x', release: '2', from: '2026-11-01', until: '2027-05-01', patterns: [] };
  const among = [autumn, spring];

  it.each([
    ['2026-01-01', '1'],
    ['2026-05-01', '1'],
    ['2026-10-31', '1'],
    ['2026-11-01', '2'],
    ['2027-04-30', '2'],
    ['2027-05-01', '2'],
  ])('on %s is release %s', (day, release) => expect(ruleSetOn('x', day, among)?.release).toBe(release));

  it('is none for a name that is none', () => expect(ruleSetOn('y', '2026-06-01', among)).toBeUndefined());
});

describe('validate', () => {
  const miscalculated = changed(invoice(), [/(<cbc:TaxInclusiveAmount currencyID="SEK">)\d/, '$19']);

  it('finds nothing in a valid document', () => {
    expect(validate(invoice(), DAY)).toEqual({ valid: true, broken: false, profile: 'peppol-billing', findings: [], untold: 0 });
  });

  it('says the same of XML and JSON, each with its own place', () => {
    const inXml = validate(miscalculated, DAY);
    const inJson = validate(writeJson(readTree(miscalculated)), DAY);
    const told = ({ findings }: typeof inXml) => findings.map(({ rule, message, path, value }) => ({ rule, message, path, value }));
    expect(told(inJson)).toEqual(told(inXml));
    expect(inXml.findings[0]).toMatchObject({ rule: 'BR-CO-15', line: expect.any(Number) });
    expect(inJson.findings[0]).toMatchObject({ pointer: '/Invoice/LegalMonetaryTotal/TaxInclusiveAmount' });
  });

  it('warns of a profile that is nearly written as one of ours, and of no other', () => {
    const billing = 'urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:biling:3.0';
    const { valid, profile, findings } = validate(customized(billing), DAY);
    expect([valid, profile]).toEqual([true, 'en16931']);
    expect(findings).toMatchObject([{ rule: 'profile-spelling', severity: 'warning', value: billing }]);
    expect(findings[0]?.message).toContain('poacc:billing:3.0');
    expect(validate(customized('urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0'), DAY).findings).toEqual([]);
  });

  it('says first that the tax scheme has another name, when the rules find no VAT', () => {
    const moms = changed(invoice(), [/<cbc:ID>VAT<\/cbc:ID>/g, '<cbc:ID>MOMS</cbc:ID>']);
    const [first] = validate(moms, DAY).findings;
    expect(first).toMatchObject({ rule: 'tax-scheme', severity: 'fatal', value: 'MOMS', line: expect.any(Number) });
    expect(first?.message).toContain('write VAT into cac:TaxScheme/cbc:ID');
    expect(validate(miscalculated, DAY).findings.map(({ rule }) => rule)).not.toContain('tax-scheme');
  });

  it('stops at a broken structure', () => {
    const broken = changed(miscalculated, ['<cbc:IssueDate>', '<cbc:Unheard/>$&']);
    const { broken: isBroken, findings } = validate(broken, DAY);
    expect([isBroken, findings.map(({ rule }) => rule)]).toEqual([true, ['ubl-element']]);
  });

  it('throws for what cannot be read at all, and only then', () => {
    expect(() => validate(new TextEncoder().encode('<Invoice'), DAY)).toThrow(/ends too early/);
    expect(() => validate(new TextEncoder().encode('%PDF-1.7'), DAY)).toThrow(/PDF/);
    expect(() => validate(new Uint8Array(), DAY)).toThrow(/empty/);
  });
});
