import { describe, expect, it } from 'vitest';
import { validate } from '#rules/validate.ts';
import { documentOf, invoice } from '../../support/documents.ts';
import { type Change, changed } from '../../support/judged.ts';
import { AGREEMENT } from './orders/documents.ts';

const DAY = { day: '2026-06-01' };
const warnings = async (document: Uint8Array) =>
  (await validate(document, DAY)).findings.flatMap(({ rule, severity, path, message }) =>
    rule === 'official-abort' ? [{ severity, path, message }] : [],
  );
const twice = (element: string): Change => [new RegExp(`<${element}[ >][\\s\\S]*?</${element}>`), '$&$&'];

describe('what the official rules stop at is warned of', () => {
  it('in orders, two allowances of a price and two tax totals', async () => {
    const allowance =
      '<cac:AllowanceCharge><cbc:ChargeIndicator>false</cbc:ChargeIndicator><cbc:Amount currencyID="SEK">0</cbc:Amount></cac:AllowanceCharge>';
    const order = documentOf('Order');
    const priced = (count: number): Change => ['</cac:Price>', `${allowance.repeat(count)}$&`];
    expect(await warnings(changed(order, priced(1)))).toEqual([]);
    const [found] = await warnings(changed(order, priced(2)));
    expect(found).toMatchObject({ severity: 'warning', path: expect.stringMatching(/cac:Price\/cac:AllowanceCharge\[1\]$/) });
    expect(found?.message).toBe(
      'The price has 2 of cac:AllowanceCharge, as UBL allows, but the official rules stop with an error there, so that a receiver may refuse the document: keep one, or make one of them.',
    );
    expect(await warnings(changed(AGREEMENT, twice('cac:TaxTotal')))).toMatchObject([{ path: '/OrderResponse/cac:TaxTotal[1]' }]);
    expect(await warnings(AGREEMENT)).toEqual([]);
  });

  it('in catalogues, two periods, told once', async () => {
    const period =
      '<cac:ValidityPeriod><cbc:StartDate>2026-01-01</cbc:StartDate><cbc:EndDate>2026-12-31</cbc:EndDate></cac:ValidityPeriod>';
    const catalogue = changed(documentOf('Catalogue'), [
      /(<cac:ValidityPeriod>[\s\S]*?<\/cac:ValidityPeriod>)?\s*<cac:ProviderParty>/,
      `${period}${period}<cac:ProviderParty>`,
    ]);
    expect(await warnings(catalogue)).toMatchObject([{ path: '/Catalogue/cac:ValidityPeriod[1]' }]);
  });

  it.each([
    ['2026-<!-- c -->03-02', true],
    ['2026-03-<!-- c --><!-- d -->02', true],
    ['<!-- c -->2026-03-02', false],
    ['2026-03-02<!-- c -->', false],
    ['2026-<![CDATA[03]]>-02', false],
  ])('in values, comments: %s: %s', async (value, isWarned) => {
    const found = await warnings(changed(invoice(), ['<cbc:IssueDate>2026-03-02', `<cbc:IssueDate>${value}`]));
    expect(found.map(({ path }) => path)).toEqual(isWarned ? ['/Invoice/cbc:IssueDate'] : []);
    if (isWarned) expect(found[0]?.message).toMatch(/^A comment stands inside the value of cbc:IssueDate; .*: take the comment out\.$/);
  });

  it('and comments between elements and in extensions are not', async () => {
    const between = changed(invoice(), ['<cbc:IssueDate>', '<!-- c -->\n$&']);
    expect(await warnings(between)).toEqual([]);
  });
});
