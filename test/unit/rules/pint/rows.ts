// Tests as rows: which rules break when our invoice of a jurisdiction is changed so.
import { expect, it } from 'vitest';
import type { Change } from '../../../support/judged.ts';
import { found, type Jurisdiction } from './examples.ts';

export type Row = readonly [ids: readonly string[], ...changes: readonly Change[]];

export function breaks(jurisdiction: Jurisdiction, rows: readonly Row[]): void {
  it.each(rows.map(([ids, ...changes], at) => ({ at, ids, changes })))(`${jurisdiction} $at: $ids`, ({ ids, changes }) => {
    expect(found(jurisdiction, ...changes)).toEqual(ids);
  });
}

export const without = (what: RegExp | string): Change => [what, ''];
export const precede = (tag: string, added: string): Change => [tag, `${added}${tag}`];
export const follow = (tag: string, added: string): Change => [tag, `${tag}${added}`];

export interface Adjustment {
  readonly charge?: boolean;
  readonly category?: string;
  readonly percent?: string;
  readonly scheme?: string;
  readonly inside?: string;
}

/** An allowance or charge of 0 on the document, with a tax category where one is given. */
export function adjusted({ charge = false, category, percent, scheme = 'VAT', inside = '' }: Adjustment): Change {
  const rate = percent === undefined ? '' : `<cbc:Percent>${percent}</cbc:Percent>`;
  const taxed = category
    ? `<cac:TaxCategory><cbc:ID>${category}</cbc:ID>${rate}<cac:TaxScheme><cbc:ID>${scheme}</cbc:ID></cac:TaxScheme></cac:TaxCategory>`
    : '';
  return precede(
    '<cac:TaxTotal>',
    `<cac:AllowanceCharge><cbc:ChargeIndicator>${charge}</cbc:ChargeIndicator><cbc:AllowanceChargeReasonCode>${charge ? 'FC' : '95'}</cbc:AllowanceChargeReasonCode>${inside}${taxed}</cac:AllowanceCharge>`,
  );
}
