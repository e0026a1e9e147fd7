// Names by which orders are answered: the reason in them, and that of the response.
import { describe, expect, it } from 'vitest';
import { toByteName } from '#gateway/model/intake.ts';
import { forbids, ORDER_ANSWERS, reasonOf, responseName } from '#gateway/model/order-answer.ts';

describe('the reason of an answer', () => {
  it.each([
    [undefined, 'order.xml', ''],
    ['price too high', 'order.xml', 'price too high'],
    [undefined, 'Which colour?.txt', 'Which colour?'],
    [undefined, 'TOO LATE.TXT', 'TOO LATE'],
    ['prices', 'line 3.txt', 'prices: line 3'],
    ['för dyr', 'order.xml', 'för dyr'],
    ['a\nb\u0001', 'order.xml', 'a_b_'],
    [undefined, `${'x'.repeat(300)}.txt`, 'x'.repeat(300)],
    ['y'.repeat(400), `${'x'.repeat(300)}.txt`, `${'y'.repeat(400)}: ${'x'.repeat(98)}`],
  ])('in %j and %j is %j', (folder, name, reason) => {
    expect(reasonOf(folder === undefined ? undefined : toByteName(folder), toByteName(name))).toBe(reason);
  });
});

it.each([
  ['order.xml', 'accept-order.xml'],
  ['order', 'accept-order.xml'],
  ['PO.4711.json', 'accept-PO.4711.xml'],
  ['Which colour?.txt', 'accept-Which colour?.xml'],
  ['för dyr.xml', 'accept-för dyr.xml'],
])('the response to %s is called %s', (name, response) => {
  expect(responseName('accept', toByteName(name))).toBe(toByteName(response));
});

it('a question may be followed by a decision, and nothing follows a decision', () => {
  const allowed = ORDER_ANSWERS.flatMap((given) =>
    ORDER_ANSWERS.flatMap((next) => (forbids({ answer: given }, next) ? [] : [`${given} ${next}`])),
  );
  expect(allowed).toEqual(['query accept', 'query reject']);
});
