import { expect, it } from 'vitest';
import { EN16931 } from '#rules/en16931/rule-set.ts';
import { codeList } from '#rules/engine/codes.ts';
import { compile } from '#rules/engine/engine.ts';
import { coded, occurs } from '#rules/engine/kinds.ts';
import { context, derived } from '#rules/engine/rule.ts';
import { readTree } from '#ubl/read.ts';
import { afterBuyerReference, invoiceIn } from './examples.ts';

it('can be taken over with differences, by id', () => {
  const patterns = derived(EN16931.patterns, {
    drop: new Set(['UBL-CR-005']),
    replace: [coded('BR-CL-04', codeList('currency', 'EUR'))],
    add: [[context('/Invoice | /CreditNote', [occurs('BR-X', 'cbc:BuyerReference', { max: 0 })])]],
  });
  const judge = compile([{ ...EN16931, patterns }]);
  const { findings } = judge(readTree(invoiceIn('S', afterBuyerReference('<cbc:UUID>1</cbc:UUID>'))));
  expect(findings.map(({ rule }) => rule).sort()).toEqual(['BR-CL-04', 'BR-X']);
});
