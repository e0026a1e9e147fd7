// How elements are listed that EN 16931 has no use for: many that stand below one in a row, with ids that count on.

/** `[45, 'cac:Delivery', 'cbc:ID cbc:Quantity']`: UBL-CR-045 is the ID of a delivery, UBL-CR-046 its quantity. */
export type UnusedRow = readonly [first: number, below: string, names: string];

/** Of each name in the rows its id and its path. */
export function rowsOf(rows: readonly UnusedRow[]): (readonly [id: string, path: string])[] {
  return rows.flatMap(([from, below, names]) =>
    names.split(/\s+/).map((name, at) => [idOf(from + at), below === '' ? name : `${below}/${name}`] as const),
  );
}

export function idOf(number: number): string {
  return `UBL-CR-${String(number).padStart(3, '0')}`;
}
