// The data types of SFTP (RFC 4251 §5), read and written: uint32, uint64, string. Names are byte strings, one character per byte.
import { AppError } from '#domain/error.ts';

/** Reads fields one after the other. Throws `bad-request` when the packet ends too early. */
export class FieldReader {
  readonly #packet: Buffer;
  #at: number;

  constructor(packet: Buffer, at = 0) {
    this.#packet = packet;
    this.#at = at;
  }

  uint32(): number {
    return this.#packet.readUInt32BE(this.#take(4));
  }

  /** Offsets and sizes; beyond 2^53 they are no longer exact, and far beyond every limit. */
  uint64(): number {
    return Number(this.#packet.readBigUInt64BE(this.#take(8)));
  }

  /** A piece of the packet itself, not a copy. */
  bytes(): Buffer {
    const length = this.uint32();
    const start = this.#take(length);
    return this.#packet.subarray(start, start + length);
  }

  text(): string {
    return this.bytes().toString('latin1');
  }

  /** The next field as text, to be read again; null when the packet ends too early. */
  peekText(): string | null {
    const start = this.#at;
    try {
      return this.text();
    } catch {
      return null;
    } finally {
      this.#at = start;
    }
  }

  #take(length: number): number {
    const start = this.#at;
    if (start + length > this.#packet.length) throw new AppError('bad-request', 'the packet ends too early');
    this.#at += length;
    return start;
  }
}

export function uint32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

export function uint64(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}

/** A string field of bytes, or of a byte string. */
export function string(value: string | Buffer): Buffer {
  const bytes = typeof value === 'string' ? Buffer.from(value, 'latin1') : value;
  return Buffer.concat([uint32(bytes.length), bytes]);
}
