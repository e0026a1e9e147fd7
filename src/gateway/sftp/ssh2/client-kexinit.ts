// What a client says before anything is encrypted: its greeting and the algorithms that it offers, read beside ssh2.
import { FieldReader } from '#gateway/sftp/protocol/fields.ts';

/** Lists of names in the client's order; what goes both ways, as it offers it for what it sends. */
export interface Offer {
  readonly kex: readonly string[];
  readonly serverHostKey: readonly string[];
  readonly cipher: readonly string[];
  readonly hmac: readonly string[];
  readonly compress: readonly string[];
}

export interface Greeting {
  /** The line that the client greets with; '' when it has not. */
  readonly ident: string;
  readonly offer: Offer | null;
}

/** RFC 4253 §6.1: every implementation takes packets of this size. */
const BYTES_MAX = 35_000;
const IDENT_BYTES_MAX = 255;
const NAMES_MAX = 100;
const KEXINIT = 20;
const LENGTH_BYTES = 4;
const PADDING_BYTES = 1;
const COOKIE_BYTES = 16;
/** Names by which a client says what else it can do; no algorithms. */
const SIGNS = /^(?:ext-info-[cs]|kex-strict-[cs]-v00@openssh\.com)$/;

/** Gathers the first bytes of a connection until the offer is there, or cannot be. They are read when somebody asks, which hardly anybody does. */
export class GreetingReader {
  #bytes: Buffer = Buffer.alloc(0);
  #isWhole = false;

  get greeting(): Greeting {
    return readGreeting(this.#bytes);
  }

  push(piece: Uint8Array): void {
    if (this.#isWhole) return;
    this.#bytes = Buffer.concat([this.#bytes, piece]);
    this.#isWhole = this.#bytes.length > BYTES_MAX || offerIn(this.#bytes) !== undefined;
  }

  /** Nobody will ask. */
  forget(): void {
    this.#bytes = Buffer.alloc(0);
    this.#isWhole = true;
  }
}

/** Reads as much as is there; what cannot be read is left out. */
export function readGreeting(bytes: Buffer): Greeting {
  const end = bytes.indexOf('\n');
  if (end < 0 || !bytes.subarray(0, 4).equals(Buffer.from('SSH-'))) return { ident: '', offer: null };
  const ident = printable(bytes.subarray(0, Math.min(end, IDENT_BYTES_MAX)).toString('latin1').trimEnd());
  const payload = offerIn(bytes);
  return { ident, offer: payload ? readOffer(payload) : null };
}

/** The KEXINIT behind the greeting; undefined when it is not there, or not whole. */
function offerIn(bytes: Buffer): Buffer | undefined {
  const end = bytes.indexOf('\n');
  const packet = bytes.subarray(end + 1);
  const length = end >= 0 && packet.length >= LENGTH_BYTES ? packet.readUInt32BE(0) : Number.POSITIVE_INFINITY;
  if (packet.length < LENGTH_BYTES + length || packet[LENGTH_BYTES + PADDING_BYTES] !== KEXINIT) return undefined;
  return packet.subarray(LENGTH_BYTES + PADDING_BYTES, LENGTH_BYTES + length);
}

/** Reads a KEXINIT (RFC 4253 §7.1); null when it is none. */
export function readOffer(payload: Buffer): Offer | null {
  const fields = new FieldReader(payload, 1 + COOKIE_BYTES);
  try {
    const [kex = [], serverHostKey = [], cipher = [], , hmac = [], , compress = []] = Array.from({ length: 7 }, () =>
      names(fields.bytes()),
    );
    return { kex, serverHostKey, cipher, hmac, compress };
  } catch {
    return null;
  }
}

function names(list: Uint8Array): string[] {
  const found = printable(Buffer.from(list).toString('latin1')).split(',', NAMES_MAX);
  return found.filter((name) => name !== '' && !SIGNS.test(name)).map((name) => name.slice(0, 64));
}

/** Whoever reads it later does so on a terminal, which must not obey it. */
export function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?');
}
