// What a client sends before anything is encrypted, read beside ssh2: the version line (RFC 4253 §4.2), and KEXINIT with the algorithms that
// it offers (§7.1).
import { FieldReader } from '#gateway/sftp/protocol/fields.ts';

/** Names of algorithms in the order of preference; where each direction has its own list, that from client to server. */
export interface AlgorithmLists {
  readonly kex: readonly string[];
  readonly serverHostKey: readonly string[];
  readonly cipher: readonly string[];
  readonly hmac: readonly string[];
  readonly compress: readonly string[];
}

export interface ClientKexInit {
  /** The version line; '' before it is there. */
  readonly ident: string;
  readonly offer: AlgorithmLists | null;
}

/** RFC 4253 §6.1: every implementation takes packets of this size. */
const BYTES_MAX = 35_000;
const IDENT_BYTES_MAX = 255;
const NAMES_MAX = 100;
const KEXINIT = 20;
const LENGTH_BYTES = 4;
const PADDING_BYTES = 1;
const COOKIE_BYTES = 16;
/** Names that stand among the algorithms and announce extensions of the protocol. */
const EXTENSIONS = /^(?:ext-info-[cs]|kex-strict-[cs]-v00@openssh\.com)$/;

/** Gathers the first bytes of a connection until KEXINIT is whole. They are parsed only for connections that are rejected. */
export class ClientKexInitReader {
  #bytes: Buffer = Buffer.alloc(0);
  #isWhole = false;

  get read(): ClientKexInit {
    return readClientKexInit(this.#bytes);
  }

  push(piece: Uint8Array): void {
    if (this.#isWhole) return;
    this.#bytes = Buffer.concat([this.#bytes, piece]);
    this.#isWhole = this.#bytes.length > BYTES_MAX || kexInitIn(this.#bytes) !== undefined;
  }

  /** Frees the bytes. */
  forget(): void {
    this.#bytes = Buffer.alloc(0);
    this.#isWhole = true;
  }
}

/** Reads what is there; parts that cannot be read are left out. */
export function readClientKexInit(bytes: Buffer): ClientKexInit {
  const end = bytes.indexOf('\n');
  if (end < 0 || !bytes.subarray(0, 4).equals(Buffer.from('SSH-'))) return { ident: '', offer: null };
  const ident = printable(bytes.subarray(0, Math.min(end, IDENT_BYTES_MAX)).toString('latin1').trimEnd());
  const payload = kexInitIn(bytes);
  return { ident, offer: payload ? readKexInit(payload) : null };
}

/** The payload of KEXINIT, which follows the version line; undefined when it is not whole. */
function kexInitIn(bytes: Buffer): Buffer | undefined {
  const end = bytes.indexOf('\n');
  const packet = bytes.subarray(end + 1);
  const length = end >= 0 && packet.length >= LENGTH_BYTES ? packet.readUInt32BE(0) : Number.POSITIVE_INFINITY;
  if (packet.length < LENGTH_BYTES + length || packet[LENGTH_BYTES + PADDING_BYTES] !== KEXINIT) return undefined;
  return packet.subarray(LENGTH_BYTES + PADDING_BYTES, LENGTH_BYTES + length);
}

/** Null when the payload is no KEXINIT. */
export function readKexInit(payload: Buffer): AlgorithmLists | null {
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
  return found.filter((name) => name !== '' && !EXTENSIONS.test(name)).map((name) => name.slice(0, 64));
}

/** The text is shown on terminals, which must not obey control characters in it. */
export function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?');
}
