// Identifiers: time-ordered item ids and the short form that names carry. Time and randomness come in as parameters.

/** Crockford's base 32: no I, L, O, U. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

export type Random = (bytes: number) => Uint8Array;

/** A ULID: 48 bits of milliseconds, 80 random bits; 26 characters that sort by time. */
export function newItemId(nowMs: number, random: Random): string {
  let time = '';
  for (let left = nowMs, place = 0; place < 10; place++) {
    time = ALPHABET.charAt(left % 32) + time;
    left = Math.floor(left / 32);
  }
  return time + base32(random(10));
}

/** The random end of an item id, for names of files. */
export function shortId(item: string): string {
  return item.slice(-8).toLowerCase();
}

/** Base 32 without padding, most significant bits first. */
export function base32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += ALPHABET.charAt((held >>> (bits - 5)) & 31);
    held &= (1 << bits) - 1;
  }
  return bits > 0 ? text + ALPHABET.charAt((held << (5 - bits)) & 31) : text;
}
