// What portable columns hold.

export type Value = string | number | null | Uint8Array;

/** Throws for what no column holds. */
export function toValue(value: unknown): Value {
  if (value === null || typeof value === 'number' || typeof value === 'string' || value instanceof Uint8Array) return value;
  throw new TypeError(`a ${typeof value} does not fit a portable column: use text, integer or blob`);
}
