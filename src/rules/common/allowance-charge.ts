// Which cac:AllowanceCharge takes something off, and which adds something.
import { stringOf } from '#rules/engine/select.ts';
import type { XmlElement } from '#ubl/tree.ts';

export const ALLOWANCE_CHARGE = 'cac:AllowanceCharge';

export function isAllowance(node: XmlElement): boolean {
  return indicatorOf(node) === false;
}

export function isCharge(node: XmlElement): boolean {
  return indicatorOf(node) === true;
}

/** xs:boolean knows two spellings of each; undefined where it is neither. */
function indicatorOf({ children }: XmlElement): boolean | undefined {
  const indicator = children.find(({ tag }) => tag === 'cbc:ChargeIndicator');
  const value = indicator && stringOf(indicator).trim();
  if (value === 'true' || value === '1') return true;
  return value === 'false' || value === '0' ? false : undefined;
}
