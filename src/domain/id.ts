// Identifiers: time-ordered item ids and the short form that names carry. Time and randomness come in as parameters.

/** Crockford's base 32, in which all our own ids are: no I, L, O, U. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

export type Random = (bytes: number) => Uint8Array;

/** Ids of one millisecond that sort in the order in which they were made. */
const COUNTER_MAX = 32 ** 4;
const COUNTER_START_MAX = 32 ** 3;

/**
 * Makes item ids in the form of a ULID: 26 characters of which 10 tell the time, 4 count within a millisecond and 12 are random. Ids of one
 * maker sort in the order in which they were made, even when the clock steps back.
 */
export function itemIds(now: () => number, random: Random): () => string {
  let lastMs = 0;
  let counter = 0;
  return () => {
    const nowMs = now();
    const [high = 0, low = 0] = random(2);
    if (nowMs > lastMs) {
      lastMs = nowMs;
      counter = ((high << 8) | low) % COUNTER_START_MAX;
    } else if (++counter === COUNTER_MAX) {
      lastMs++;
      counter = 0;
    }
    return digits(lastMs, 10) + digits(counter, 4) + base32(random(8)).slice(0, 12);
  };
}

const ITEM_ID = new RegExp(`^[${ALPHABET}]{26}$`);

export function isItemId(text: string): boolean {
  return ITEM_ID.test(text);
}

/** No id that is made at this time, or later, sorts before it. */
export function firstIdAt(ms: number): string {
  return digits(Math.max(ms, 0), 10);
}

/** When an item id was made, by the clock of its maker; ids sort by it. */
export function idMadeAt(item: string): number {
  return [...item.slice(0, 10)].reduce((sum, digit) => sum * 32 + ALPHABET.indexOf(digit), 0);
}

const INCARNATION_BYTES = 10;

/** A name for one life of a process. */
export function incarnationId(random: Random): string {
  return base32(random(INCARNATION_BYTES));
}

const INCARNATION_ID = new RegExp(`^[${ALPHABET}]{${(INCARNATION_BYTES * 8) / 5}}$`);

export function isIncarnationId(text: string): boolean {
  return INCARNATION_ID.test(text);
}

function digits(value: number, places: number): string {
  let text = '';
  for (let left = value; text.length < places; left = Math.floor(left / 32)) text = ALPHABET.charAt(left % 32) + text;
  return text;
}

const UUID_OF_TIME = /^([\da-f]{8})-([\da-f]{4})-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/i;

/** When a UUID of version 7 was made (RFC 9562 §5.7); undefined for another id. */
export function uuidMadeAt(id: string): number | undefined {
  const [, high, low] = UUID_OF_TIME.exec(id) ?? [];
  return high === undefined || low === undefined ? undefined : Number.parseInt(high + low, 16);
}

/** No UUID of version 7 that is made at this time, or later, sorts before it. */
export function firstUuidAt(ms: number): string {
  const hex = Math.max(ms, 0).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}

/** The random end of an item id, for names of files. */
export function shortId(item: string): string {
  return item.slice(-8).toLowerCase();
}

/** The base 32 of DNS and of authenticators. */
export const RFC4648 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Base 32 without padding, most significant bits first. */
export function base32(bytes: Uint8Array, alphabet = ALPHABET): string {
  let text = '';
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += alphabet.charAt((held >>> (bits - 5)) & 31);
    held &= (1 << bits) - 1;
  }
  return bits > 0 ? text + alphabet.charAt((held << (5 - bits)) & 31) : text;
}
