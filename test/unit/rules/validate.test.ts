import { describe, expect, it } from 'vitest';
import { PROFILES } from '#domain/profiles.ts';
import { context, type RuleSet, rule, warning } from '#rules/engine/rule.ts';
import { judgeOf, ruleSetOn } from '#rules/rule-sets.ts';
import { profileOf } from '#rules/stated-profile.ts';
import { validate } from '#rules/validate.ts';
import { readTree } from '#ubl/read.ts';
import { EXT } from '#ubl/tree.ts';
import { writeJson } from '#ubl/write-json.ts';
import { documentOf, invoice } from '../../support/documents.ts';
import { type Change, changed } from '../../support/judged.ts';
import { RULE_SETS } from '../../support/rule-sets.ts';

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

  it('holds from its mandatory day on; from its publication on it warns, with that day', () => {
    const never = () => false;
    const patterns = (...rules: RuleSet['patterns'][number][number]['rules']) => [[context('/Invoice', rules)]];
    const both = rule('BOTH', never, 'told by both.');
    const old: RuleSet = { name: 'z', release: 'z1', from: '2026-02-23', patterns: patterns(both) };
    const next: RuleSet = {
      name: 'z',
      release: 'z2',
      published: '2026-05-18',
      from: '2026-08-17',
      patterns: patterns(both, rule('NEW', never, 'new.'), warning(rule('ADVICE', never, 'advice.'))),
    };
    const root = readTree(invoice());
    const on = (day: string) =>
      judgeOf(['z'], day, [next, old])(root).findings.map(({ rule: id, severity, message }) => [id, severity, message]);
    expect(on('2026-05-17')).toEqual([['BOTH', 'fatal', 'told by both.']]);
    const between = [
      ['BOTH', 'fatal', 'told by both.'],
      ['NEW', 'warning', 'From 2026-08-17 on this refuses the document: new.'],
      ['ADVICE', 'warning', 'From 2026-08-17 on: advice.'],
    ];
    expect(on('2026-05-18')).toEqual(between);
    expect(on('2026-08-16')).toEqual(between);
    const holding = [
      ['BOTH', 'fatal', 'told by both.'],
      ['NEW', 'fatal', 'new.'],
      ['ADVICE', 'warning', 'advice.'],
    ];
    expect(on('2026-08-17')).toEqual(holding);
    // Nothing is left unjudged where there is no earlier release.
    expect(judgeOf(['z'], '2026-06-01', [next])(root).findings.map(({ severity }) => severity)).toEqual(['fatal', 'fatal', 'warning']);
    const limited = judgeOf(['z'], '2026-06-01', [next, old])(root, { findingsMax: 1, findingsPerRuleMax: 1 });
    expect([limited.findings.length, limited.untold]).toEqual([2, 1]);
  });

  it.each(['peppol-billing', 'en16931', 'order'])('of %s begins on the day on which Peppol makes it mandatory', (name) => {
    expect(RULE_SETS.find((one) => one.name === name)).toMatchObject({ from: '2026-08-17' });
  });
});

describe('validate', () => {
  const miscalculated = changed(invoice(), [/(<cbc:TaxInclusiveAmount currencyID="SEK">)\d/, '$19']);

  it('finds nothing in a valid document', async () => {
    expect(await validate(invoice(), DAY)).toEqual({ valid: true, broken: false, profile: 'peppol-billing', findings: [], untold: 0 });
  });

  it('says the same of XML and JSON, each with its own place and names', async () => {
    const inXml = await validate(miscalculated, DAY);
    const inJson = await validate(writeJson(readTree(miscalculated)), DAY);
    const told = ({ findings }: typeof inXml) =>
      findings.map(({ rule, message, path, value }) => ({ rule, message: message.replaceAll(/c[ab]c:/g, ''), path, value }));
    expect(told(inJson)).toEqual(told(inXml));
    expect(inXml.findings[0]).toMatchObject({ rule: 'BR-CO-15', line: expect.any(Number) });
    expect(inJson.findings[0]).toMatchObject({ pointer: '/Invoice/LegalMonetaryTotal/TaxInclusiveAmount' });
  });

  it('refuses a profile that is misspelt, and says how it is written', async () => {
    const billing = 'urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:biling:3.0';
    const { valid, profile, findings } = await validate(customized(billing), DAY);
    expect([valid, profile]).toEqual([false, 'en16931']);
    expect(findings).toMatchObject([{ rule: 'unknown-profile', severity: 'fatal', value: billing }]);
    expect(findings[0]?.message).toContain(
      'misspelt: write urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0 into',
    );
  });

  it.each([
    ['urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:4.0', 'poacc:billing:3.0'],
    ['urn:peppol:pint:billing-1@a-nz-1', 'urn:peppol:pint:billing-1@aunz-1'],
    ['urn:peppol:pint:biling-1@ae-1', 'urn:peppol:pint:billing-1@ae-1'],
    ['urn:peppol:pint:billing-1@ae1', 'urn:peppol:pint:billing-1@ae-1'],
    ['URN:peppol:pint:billing-1@ae-1', 'urn:peppol:pint:billing-1@ae-1'],
    ['urn:peppol:pint:billing-1@om-1', undefined],
    ['urn:peppol:pint:billing-1@ae-2', undefined],
    ['urn:cen.eu:en16931:2026', undefined],
    ['urn:cen.eu:en16931:2026#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0', undefined],
    ['urn:example:own', undefined],
  ])('of %s it advises nothing but what may be misspelt', async (stated, meant) => {
    const [found, ...more] = (await validate(customized(stated), DAY)).findings;
    expect([found?.rule, found?.severity, more]).toEqual(['unknown-profile', 'fatal', []]);
    const judged = stated.startsWith('urn:cen.eu:en16931:2017')
      ? 'only the rules of urn:cen.eu:en16931:2017 were asked'
      : 'it was not judged';
    expect(found?.message).toContain(`We have no rules for the CustomizationID '${stated}', so ${judged}. `);
    if (meant === undefined) expect(found?.message).toMatch(/If one of these was meant, write it into cbc:CustomizationID: urn:/);
    else expect(found?.message).toMatch(new RegExp(`misspelt: write \\S*${meant.replaceAll('.', '\\.')} into cbc:CustomizationID\\.$`));
  });

  it.each([
    ['urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0', 'XRechnung (BR-DE-…)'],
    [
      'urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0#conformant#urn:xeinkauf.de:kosit:extension:xrechnung_3.0',
      'XRechnung (BR-DE-…)',
    ],
    ['urn:cen.eu:en16931:2017#compliant#urn:fdc:nen.nl:nlcius:v1.0', 'NLCIUS (BR-NL-…)'],
    ['urn:cen.eu:en16931:2017#conformant#urn.cpro.gouv.fr:1p0:extended-ctc-fr', 'EXTENDED-CTC-FR (BR-FR-…)'],
    ['urn:cen.eu:en16931:2017#compliant#urn:example:own:1.0', 'urn:example:own:1.0'],
    ['urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0#extended#urn:example:own', 'urn:example:own'],
  ])('says whose rules of %s were not asked', async (stated, rules) => {
    const { valid, findings } = await validate(customized(stated), DAY);
    expect([valid, findings.map(({ rule, severity }) => [rule, severity])]).toEqual([true, [['rules-not-asked', 'warning']]]);
    expect(findings[0]?.message).toContain(`The rules of ${rules} were not, because we do not have them`);
  });

  it('says nothing of EN 16931 by itself', async () => {
    expect((await validate(customized('urn:cen.eu:en16931:2017'), DAY)).findings).toEqual([]);
  });

  it('says first that the tax scheme has another name, when the rules find no VAT', async () => {
    const moms = changed(invoice(), [/<cbc:ID>VAT<\/cbc:ID>/g, '<cbc:ID>MOMS</cbc:ID>']);
    const [first] = (await validate(moms, DAY)).findings;
    expect(first).toMatchObject({ rule: 'tax-scheme', severity: 'fatal', value: 'MOMS', line: expect.any(Number) });
    expect(first?.message).toContain('write VAT into cac:TaxScheme/cbc:ID');
    expect((await validate(miscalculated, DAY)).findings.map(({ rule }) => rule)).not.toContain('tax-scheme');
  });

  it('speaks of the tax scheme only beside what the rules find of VAT, and never of one in an extension', async () => {
    const category =
      '<cac:TaxCategory><cbc:ID>S</cbc:ID><cbc:Percent>25</cbc:Percent><cac:TaxScheme><cbc:ID>MOMS</cbc:ID></cac:TaxScheme></cac:TaxCategory>';
    const inExtension: Change = [
      '<cbc:CustomizationID>',
      `<ext:UBLExtensions xmlns:ext="${EXT}"><ext:UBLExtension><ext:ExtensionContent>${category}</ext:ExtensionContent></ext:UBLExtension></ext:UBLExtensions>$&`,
    ];
    const isNamed = async (...changes: Change[]): Promise<boolean> =>
      (await validate(changed(invoice(), ...changes), DAY)).findings.some(({ rule: id }) => id === 'tax-scheme');
    const wrongVat: Change = [/(<cac:TaxSubtotal>[\s\S]*?<cbc:Percent>)25/, '$112'];
    const wrongTotal: Change = [/(<cbc:TaxInclusiveAmount currencyID="SEK">)\d/, '$19'];
    const withoutDate: Change = [/<cbc:DueDate>.*<\/cbc:DueDate>/, ''];
    const onPrice: Change = [
      '</cbc:PriceAmount>',
      `$&<cac:AllowanceCharge><cbc:ChargeIndicator>false</cbc:ChargeIndicator><cbc:Amount currencyID="SEK">0</cbc:Amount>${category}</cac:AllowanceCharge>`,
    ];
    expect(await isNamed(inExtension, wrongVat)).toBe(false);
    expect(await isNamed(onPrice, ['>380<', '>999<'], withoutDate)).toBe(false);
    expect(await isNamed(onPrice, wrongTotal)).toBe(false);
    expect(await isNamed(onPrice, wrongVat)).toBe(true);
  });

  it('stops at a broken structure', async () => {
    const broken = changed(miscalculated, ['<cbc:IssueDate>', '<cbc:Unheard/>$&']);
    const { broken: isBroken, findings } = await validate(broken, DAY);
    expect([isBroken, findings.map(({ rule }) => rule)]).toEqual([true, ['ubl-element']]);
  });

  it('throws for what cannot be read at all, and only then', async () => {
    await expect(validate(new TextEncoder().encode('<Invoice'), DAY)).rejects.toThrow(/ends too early/);
    await expect(validate(new TextEncoder().encode('%PDF-1.7'), DAY)).rejects.toThrow(/PDF/);
    await expect(validate(new Uint8Array(), DAY)).rejects.toThrow(/empty/);
  });
});
