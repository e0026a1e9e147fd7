// What a service may have done with a document for it to be ours still: it may add, it may not change, leave out or move.
import { expect, it } from 'vitest';
import { onlyAdds } from '#ubl/additions.ts';
import { readTree } from '#ubl/read.ts';
import { invoice } from '../../support/documents.ts';

const OURS = Buffer.from(invoice({ lines: 3 })).toString();
const tree = (text: string) => readTree(Buffer.from(text));
const adds = (change: (text: string) => string): boolean => {
  const theirs = change(OURS);
  expect(theirs).not.toBe(OURS);
  return onlyAdds(tree(OURS), tree(theirs));
};

it.each([
  ['an element at the top', (text: string) => text.replace('<cbc:Note>', '<cbc:AccountingCost>7</cbc:AccountingCost><cbc:Note>')],
  ['one of the same name before ours', (text: string) => text.replace('<cbc:Note>', '<cbc:Note>theirs</cbc:Note><cbc:Note>')],
  ['an element deep inside', (text: string) => text.replace('<cac:Item>', '<cac:Item><cbc:Description>theirs</cbc:Description>')],
  ['an attribute', (text: string) => text.replace('<cbc:IssueDate>', '<cbc:IssueDate added="yes">')],
  ['white space', (text: string) => text.replaceAll('><', '>\n  <').replace('<cbc:Note>', '<cbc:Note>  ')],
  ['another prefix', (text: string) => text.replaceAll('cbc:', 'b:').replaceAll('xmlns:cbc', 'xmlns:b')],
])('it adds %s', (_, change) => expect(adds(change)).toBe(true));

it.each([
  ['a text', (text: string) => text.replace('Thank you', 'No thanks')],
  ['an amount', (text: string) => text.replace(/(<cbc:PayableAmount[^>]*>)\d/, '$19')],
  ['an attribute', (text: string) => text.replace('currencyID="SEK"', 'currencyID="EUR"')],
  ['an element away', (text: string) => text.replace(/<cbc:BuyerReference>.*?<\/cbc:BuyerReference>/, '')],
  ['a line away', (text: string) => text.replace(/<cac:InvoiceLine>[\s\S]*?<\/cac:InvoiceLine>/, '')],
  [
    'the order of lines',
    (text: string) =>
      text.replace(/(<cac:InvoiceLine>[\s\S]*?<\/cac:InvoiceLine>)\s*(<cac:InvoiceLine>[\s\S]*?<\/cac:InvoiceLine>)/, '$2$1'),
  ],
  ['its namespace', (text: string) => text.replaceAll('Invoice-2"', 'Invoice-3"')],
])('it changes %s', (_, change) => expect(adds(change)).toBe(false));
