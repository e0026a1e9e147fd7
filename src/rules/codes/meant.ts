// What people write for a code that they do not know, and what they mean: such values are like no code, or like wrong ones.

/** The values are in capitals. */
type Meant = Readonly<Record<string, string>>;

const PIECE = 'H87 (piece) or C62 (one)';
const HOUR = 'HUR (hour)';

export const MEANT_UNITS: Meant = {
  ST: PIECE,
  PC: PIECE,
  PCS: PIECE,
  PCE: PIECE,
  EACH: 'EA (each)',
  H: HOUR,
  HR: HOUR,
  HRS: HOUR,
  TIM: HOUR,
  STD: HOUR,
  KG: 'KGM (kilogram)',
  L: 'LTR (litre)',
  M: 'MTR (metre)',
  KM: 'KMT (kilometre)',
  M2: 'MTK (square metre)',
  M3: 'MTQ (cubic metre)',
  DAG: 'DAY',
};

export const MEANT_SCHEMES: Meant = {
  GLN: '0088 (GLN)',
  EAN: '0088 (GLN)',
  DUNS: '0060 (D-U-N-S)',
  ORGNR: '0007 (Sweden) or 0192 (Norway)',
};

export const MEANT_COUNTRIES: Meant = { UK: 'GB', EL: 'GR' };

const CREDIT_NOTE = 'a credit note, which is a document of its own with the root element CreditNote';

export const MEANT_INVOICE_TYPES: Meant = { 381: CREDIT_NOTE, INVOICE: '380', FAKTURA: '380' };

/** What every one of these codes is there for. */
export function meantByAll(codes: string, meant: string): Meant {
  return Object.fromEntries(
    codes
      .trim()
      .split(/\s+/)
      .map((code) => [code, meant]),
  );
}
