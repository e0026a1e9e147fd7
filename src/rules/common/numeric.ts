// What XPath takes for a number when a rule asks whether a text is one.
import { normalized } from '#rules/engine/select.ts';

const FLOAT = /^(?:[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|-?INF)$/;

/** Signs, a point and an exponent are allowed. */
export function isNumeric(value: string): boolean {
  return FLOAT.test(normalized(value));
}
