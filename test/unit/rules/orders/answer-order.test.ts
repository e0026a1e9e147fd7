// Answers to orders: made of the order, valid by the rules, for each process that has responses.
import { describe, expect, it } from 'vitest';
import { type AnswerOptions, answerOrder } from '#rules/answer-order.ts';
import { type Verdict, validate } from '#rules/validate.ts';
import { readTree } from '#ubl/read.ts';
import { casesOf } from '../../../conformance/cases.ts';
import { conformanceFile, hasConformance } from '../../../support/conformance.ts';
import { documentOf } from '../../../support/documents.ts';
import { type Change, changed } from '../../../support/judged.ts';

const DAY = '2026-06-01';
const ORDER = documentOf('Order', { id: 'PO-4711' });
const ADVANCED: Change = ['bis:ordering:3', 'bis:advanced_ordering:3'];
const OPTIONS: AnswerOptions = { answer: 'accept', id: 'R-1', day: DAY, reason: '' };

const ANSWERS = ['accept', 'reject', 'query'] as const;

const answered = (order: Uint8Array, options: Partial<AnswerOptions> = {}): Uint8Array =>
  answerOrder(readTree(order), { ...OPTIONS, ...options });
const rulesOf = ({ findings }: Verdict): string[] => findings.map(({ rule }) => rule);
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

describe('an answer to an order', () => {
  it.each([
    ['ordering', ORDER, 'order-response'],
    ['advanced ordering', changed(ORDER, ADVANCED), 'order-response-advanced'],
  ])('of the process %s is valid by the rules of its profile, whatever it says', async (_process, order, profile) => {
    for (const [answer, code] of [
      ['accept', 'AP'],
      ['reject', 'RE'],
      ['query', 'AB'],
    ] as const) {
      for (const reason of ['', 'price < 5 & "wrong"']) {
        const response = answered(order, { answer, reason });
        expect(await validate(response, { day: DAY })).toMatchObject({ valid: true, profile, findings: [] });
        expect(textOf(response)).toContain(`<cbc:OrderResponseCode>${code}<`);
      }
    }
  });

  it('names the order, its parties by address and name, and the reason', () => {
    const response = textOf(answered(ORDER, { answer: 'reject', reason: 'the price is wrong' }));
    for (const part of [
      '<cbc:ID>R-1</cbc:ID><cbc:IssueDate>2026-06-01</cbc:IssueDate>',
      '<cbc:Note>the price is wrong</cbc:Note>',
      '<cac:OrderReference><cbc:ID>PO-4711</cbc:ID></cac:OrderReference>',
      '<cac:SellerSupplierParty><cac:Party><cbc:EndpointID schemeID="0088">',
      'Northern Paper Supplies AB</cbc:RegistrationName></cac:PartyLegalEntity></cac:Party></cac:SellerSupplierParty><cac:BuyerCustomerParty>',
      'Lakeside Printing AB</cbc:RegistrationName>',
    ]) {
      expect(response).toContain(part);
    }
  });

  it('takes the name of a party that has no registered one', async () => {
    const named = changed(ORDER, [
      /<cac:PartyLegalEntity><cbc:RegistrationName>Lakeside[^<]*<\/cbc:RegistrationName><\/cac:PartyLegalEntity>/,
      '<cac:PartyName><cbc:Name>Lakeside</cbc:Name></cac:PartyName>',
    ]);
    const response = answered(named);
    expect(textOf(response)).toContain('<cbc:RegistrationName>Lakeside</cbc:RegistrationName>');
    expect((await validate(response, { day: DAY })).valid).toBe(true);
  });

  it('is the same for the same order, letter by letter', () => {
    expect(answered(ORDER)).toEqual(answered(ORDER));
  });

  it.each([
    ['an invoice', documentOf('Invoice'), 'Only an order can be answered, and this is a document Invoice.'],
    ['an order that awaits no response', changed(ORDER, ['bis:ordering:3', 'bis:order_only:3']), 'The buyer awaits no response'],
  ])('is refused to %s', (_what, document, sentence) => {
    expect(() => answered(document)).toThrow(sentence);
  });
});

describe.skipIf(!hasConformance)('official orders', () => {
  it('that are valid have valid answers once they await one', async () => {
    let count = 0;
    // All of them are of the process without responses.
    for (const { family, bytes } of casesOf(conformanceFile('docs/index.jsonl'))) {
      if (family !== 'order' || !textOf(bytes).includes('bis:order_only:3') || !(await validate(bytes, { day: DAY })).valid) continue;
      const process = ['ordering', 'advanced_ordering'][count % 2];
      const order = changed(bytes, ['bis:order_only:3', `bis:${process}:3`]);
      const answer = ANSWERS[count % ANSWERS.length] ?? 'accept';
      const verdict = await validate(answered(order, { answer, reason: 'because' }), { day: DAY });
      expect(verdict.valid).toBe(true);
      // What the rules only warn of, such as the form of a party's number, is taken over as it is.
      expect(rulesOf(await validate(order, { day: DAY }))).toEqual(expect.arrayContaining(rulesOf(verdict)));
      count++;
    }
    expect(count).toBeGreaterThanOrEqual(20);
  });
});
