// Mistakes that are made in an invoice which is right before (`invoice()` of documents.ts), each by a name.

type Change = (xml: string) => string;

const without =
  (element: string): Change =>
  (xml) =>
    xml.replace(new RegExp(`\\s*<${element}[ >][\\s\\S]*?</${element}>`), '');
const set =
  (before: RegExp, value: string): Change =>
  (xml) =>
    xml.replace(new RegExp(`(${before.source})[^<"]*`), (_, kept: string) => kept + value);
const setAll =
  (before: RegExp, value: string): Change =>
  (xml) =>
    xml.replaceAll(new RegExp(`(${before.source})[^<"]*`, 'g'), (_, kept: string) => kept + value);

const SUBTOTAL_CATEGORY = /<cac:TaxCategory>\s*<cbc:ID>/;
const LINE_CATEGORY = /<cac:ClassifiedTaxCategory>\s*<cbc:ID>/;
const LINE_NET = /<cac:InvoiceLine>[\s\S]*?<cbc:LineExtensionAmount currencyID="SEK">/;
const SUM_OF_LINES = /<cac:LegalMonetaryTotal>\s*<cbc:LineExtensionAmount currencyID="SEK">/;

// biome-ignore format: one row, one mistake
export const FAULTS = {
  'no currency':                   without('cbc:DocumentCurrencyCode'),
  'another currency':              set(/<cbc:DocumentCurrencyCode>/, 'EUR'),
  'a currency that is none':       set(/<cbc:DocumentCurrencyCode>/, 'kr'),
  'the VAT in another currency':   set(/<cac:TaxTotal>\s*<cbc:TaxAmount currencyID="/, 'EUR'),
  'an amount without currency':    (xml) => xml.replace(/<cbc:PayableAmount currencyID="SEK"/, '<cbc:PayableAmount'),
  'a category of a subtotal':      set(SUBTOTAL_CATEGORY, 'Q'),
  'a category of a line':          set(LINE_CATEGORY, 'Q'),
  'a category everywhere':         (xml) => setAll(LINE_CATEGORY, 'Q')(set(SUBTOTAL_CATEGORY, 'Q')(xml)),
  'no category of a line':         without('cac:ClassifiedTaxCategory'),
  'no category of a subtotal':     without('cac:TaxCategory'),
  'a rate of a subtotal':          set(/<cac:TaxCategory>[\s\S]*?<cbc:Percent>/, '9'),
  'a rate of a line':              set(/<cac:ClassifiedTaxCategory>[\s\S]*?<cbc:Percent>/, '9'),
  'no tax total':                  without('cac:TaxTotal'),
  'no subtotal':                   without('cac:TaxSubtotal'),
  'no VAT in the total':           (xml) => xml.replace(/(<cac:TaxTotal>\s*)<cbc:TaxAmount.*/, '$1'),
  'the amount of a line':          set(LINE_NET, '999.99'),
  'no amount of a line':           (xml) => xml.replace(new RegExp(`(${LINE_NET.source})[^<]*</cbc:LineExtensionAmount>`), (all) => all.replace(/<cbc:LineExtensionAmount.*/, '')),
  'a price':                       set(/<cbc:PriceAmount currencyID="SEK">/, '999.99'),
  'the sum of the lines':          set(SUM_OF_LINES, '999.99'),
  'no sum of the lines':           (xml) => xml.replace(/(<cac:LegalMonetaryTotal>\s*)<cbc:LineExtensionAmount.*/, '$1'),
  'the total without VAT':         set(/<cbc:TaxExclusiveAmount currencyID="SEK">/, '999.99'),
  'no total without VAT':          without('cbc:TaxExclusiveAmount'),
  'the total with VAT':            set(/<cbc:TaxInclusiveAmount currencyID="SEK">/, '999.99'),
  'no total with VAT':             without('cbc:TaxInclusiveAmount'),
  'no amount to pay':              without('cbc:PayableAmount'),
  'no totals':                     without('cac:LegalMonetaryTotal'),
  'the VAT in all':                set(/<cac:TaxTotal>\s*<cbc:TaxAmount currencyID="SEK">/, '999.99'),
  'the VAT of a subtotal':         set(/<cac:TaxSubtotal>[\s\S]*?<cbc:TaxAmount currencyID="SEK">/, '999.99'),
  'the taxable amount':            set(/<cbc:TaxableAmount currencyID="SEK">/, '999.99'),
  'a number with a comma':         set(/<cbc:PayableAmount currencyID="SEK">/, '495,00'),
  'a date of another form':        set(/<cbc:IssueDate>/, '02.03.2026'),
  'no date':                       without('cbc:IssueDate'),
  'no process':                    without('cbc:ProfileID'),
  'no number':                     without('cbc:ID'),
  'no buyer reference':            (xml) => without('cac:OrderReference')(without('cbc:BuyerReference')(xml)),
  'a type of a document':          set(/<cbc:InvoiceTypeCode>/, '999'),
  'a unit':                        set(/unitCode="/, 'st'),
  'no unit':                       (xml) => xml.replace(/ unitCode="[^"]*"/, ''),
  'a scheme of an address':        set(/<cbc:EndpointID schemeID="/, '9999'),
  'no scheme of an address':       (xml) => xml.replace(/<cbc:EndpointID schemeID="[^"]*"/, '<cbc:EndpointID'),
  'no tax number of the seller':   without('cac:PartyTaxScheme'),
  'a country':                     setAll(/<cbc:IdentificationCode>/, 'Sverige'),
  'a tax scheme':                  setAll(/<cac:TaxScheme>\s*<cbc:ID>/, 'MOMS'),
  'a profile':                     set(/<cbc:CustomizationID>/, 'urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3'),
} as const satisfies Readonly<Record<string, Change>>;
