// The rules of an order, which what changes it shares under its own numbers.
import { baseQuantityAboveZero, netOfLine, SPELT_IN_CENTS } from '#rules/common/net-of-line.ts';
import { grossLessDiscount } from '#rules/common/shares.ts';
import { required } from '#rules/engine/kinds.ts';
import { type Context, context, rule, warning } from '#rules/engine/rule.ts';
import { fact, has } from '#rules/engine/select.ts';
import { allowances, prices, reasons } from './allowances.ts';
import { amounts } from './amounts.ts';
import { LINE, uniqueLine } from './lines.ts';
import { zeroOrMore } from './numbers.ts';
import { orderTotals } from './order-totals.ts';
import { recognisable, vatNumberOfCountry } from './parties.ts';
import { rates } from './taxes.ts';

const AMOUNTS = ['cbc:Amount', 'cbc:TaxAmount', 'cbc:LineExtensionAmount', 'cbc:PriceAmount', 'cbc:BaseAmount'];

const namesQuotation = fact((root) => has(root, 'cac:QuotationDocumentReference/cbc:ID'));

export function orderRules(transaction: 'T01' | 'T114', document: string): readonly Context[] {
  const id = (number: string): string => `PEPPOL-${transaction}-${number}`;
  const ofLines = `/${document}/${LINE}/cac:AllowanceCharge`;
  return [
    amounts(AMOUNTS, 'cac:AnticipatedMonetaryTotal', { currency: id('R003'), digits: id('R028') }),
    context(document, [
      warning(
        required(
          id('R002'),
          'cac:ValidityPeriod/cbc:EndDate',
          'The document does not say until when it is valid: add cac:ValidityPeriod/cbc:EndDate.',
        ),
      ),
    ]),
    recognisable(id('R014'), 'cac:OriginatorCustomerParty'),
    vatNumberOfCountry(id('R026')),
    orderTotals(transaction),
    ...allowances(
      `/${document}/cac:AllowanceCharge | ${ofLines}`,
      { base: id('R020'), percentage: id('R021'), share: id('R022'), reason: id('R023'), sign: id('R032') },
      'cac:AllowanceCharge',
    ),
    context('cac:TaxCategory | cac:ClassifiedTaxCategory', rates({ given: id('R029'), standard: id('R030') })),
    context(LINE, [
      netOfLine(id('R024'), SPELT_IN_CENTS, () => 'cbc:Quantity'),
      baseQuantityAboveZero(id('R025')),
      uniqueLine(id('R001')),
      zeroOrMore(id('R004'), 'cbc:Quantity'),
      warning(required(id('R013'), 'cbc:Quantity')),
    ]),
    context('cac:Price/cac:AllowanceCharge', [grossLessDiscount(id('R019'))]),
    prices({ net: id('R005'), gross: id('R027'), discount: id('R033') }),
    context('cac:QuotationLineReference/cbc:LineID', [
      rule(
        id('R035'),
        (_node, root) => namesQuotation(root),
        'The line refers to the line of a quotation, but the document to no quotation: add cac:QuotationDocumentReference/cbc:ID.',
      ),
    ]),
    ...reasons(id('CL001'), id('CL002')),
  ];
}
