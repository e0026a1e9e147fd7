// Framing: cuts the byte stream of an SFTP channel into packets (draft-ietf-secsh-filexfer-02 §3: uint32 length, then that many bytes).
import { AppError } from '#domain/error.ts';
import { lend } from './large-buffers.ts';

/** OpenSSH's limit too; its clients send at most this much in one packet. */
export const PACKET_BYTES_MAX = 256 * 1024;

const LENGTH_BYTES = 4;

/** Bytes go in as they come, whole packets come out; it never holds more than one unfinished packet and the last piece. */
export class PacketStream {
  #pieces: Buffer[] = [];
  #held = 0;

  push(piece: Buffer): void {
    if (piece.length === 0) return;
    this.#pieces.push(piece);
    this.#held += piece.length;
  }

  /** The next packet without its length, or null when more bytes must come. Throws `too-large`, after which the stream is unusable. */
  next(): Buffer | null {
    if (this.#held < LENGTH_BYTES) return null;
    const length = this.#length();
    if (length === 0 || length > PACKET_BYTES_MAX) {
      throw new AppError('too-large', `an SFTP packet of ${length} bytes was announced; at most ${PACKET_BYTES_MAX} are allowed`);
    }
    const whole = LENGTH_BYTES + length;
    if (this.#held < whole) return null;
    return this.#take(whole).subarray(LENGTH_BYTES);
  }

  #length(): number {
    let length = 0;
    let left = LENGTH_BYTES;
    for (const piece of this.#pieces) {
      for (const byte of piece.subarray(0, left)) length = length * 256 + byte;
      left -= Math.min(left, piece.length);
      if (left === 0) break;
    }
    return length;
  }

  /** Cuts off the front. It is copied only when it lies in several pieces; then it is lent, and whoever has it may give it back. */
  #take(bytes: number): Buffer {
    this.#held -= bytes;
    const [first] = this.#pieces;
    if (first && first.length >= bytes) {
      this.#drop(bytes);
      return first.subarray(0, bytes);
    }
    const joined = lend(bytes);
    for (let at = 0; at < bytes; ) at += this.#drop(this.#pieces[0]?.copy(joined, at) ?? bytes);
    return joined;
  }

  #drop(bytes: number): number {
    const [first] = this.#pieces;
    if (first && first.length > bytes) this.#pieces[0] = first.subarray(bytes);
    else this.#pieces.shift();
    return bytes;
  }
}
