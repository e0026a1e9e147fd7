// Operations that send again: one item, those of an account that are held, and all that was accepted since a time.
import { Type } from 'typebox';
import { AppError } from '#domain/error.ts';
import { type Resubmission, resendHeld, resendItem, resubmitAccepted } from '#gateway/operate/resend.ts';
import { Moment, msOf, TextOrNull } from './forms.ts';
import { ITEM, Item, itemFacts } from './items.ts';
import { operation } from './operation.ts';
import { withOperator } from './operator.ts';

export const resend = operation(
  Type.Object({ item: Type.Optional(Type.String()), accountRegNo: Type.Optional(Type.String()) }),
  Type.Object({
    /** One item was named. */
    isOne: Type.Boolean(),
    /** The items that are under way now. */
    sent: Type.Array(Type.String()),
    notSent: Type.Array(Type.Object({ found: Item, problem: Type.String() })),
  }),
  (on, { item, accountRegNo }) =>
    withOperator(on, async (operator) => {
      if (item !== undefined && accountRegNo === undefined) return { isOne: true, sent: [await resendItem(operator, item)], notSent: [] };
      if (item !== undefined || accountRegNo === undefined)
        throw new AppError('usage', 'Name one item, or --account for all that are held.');
      const sent = [];
      const notSent = [];
      for await (const { found, problem } of resendHeld(operator, accountRegNo)) {
        if (problem === null) sent.push(found.item);
        else notSent.push({ found: itemFacts(found), problem });
        on.progress(`${sent.length} on their way, ${notSent.length} not`);
      }
      return { isOne: false, sent, notSent };
    }),
);

/** An original that the ledger does not know any more. */
const ORIGINAL = { home: Type.String(), short: Type.String(), original: Type.String() } as const;
const RESULT = { sentAgainAs: TextOrNull, problem: TextOrNull } as const;

export const resubmit = operation(
  Type.Object({ since: Moment, accountRegNo: Type.Optional(Type.String()), dryRun: Type.Optional(Type.Boolean()) }),
  Type.Array(Type.Union([Type.Object({ ...ITEM, ...RESULT }), Type.Object({ ...ORIGINAL, ...RESULT })])),
  (on, { since, dryRun = false, ...chosen }) =>
    withOperator(on, async (operator) => {
      const told = [];
      for await (const { found, result } of resubmitAccepted(operator, { sinceMs: msOf(since), dryRun, ...chosen })) {
        told.push({
          ...factsOf(found),
          sentAgainAs: result && 'item' in result ? result.item : null,
          problem: result && 'problem' in result ? result.problem : null,
        });
        on.progress(`${told.length} looked at`);
      }
      return told;
    }),
);

function factsOf(found: Resubmission['found']) {
  return 'item' in found ? itemFacts(found) : { home: found.home, short: found.short, original: `accepted/${found.original}` };
}
