// Framing: cuts the byte stream of an SFTP channel into packets (draft-ietf-secsh-filexfer-02 §3: uint32 length, then that many bytes).
import { AppError } from '#domain/error.ts';

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
    const length = this.#joined(LENGTH_BYTES).readUInt32BE(0);
    if (length === 0 || length > PACKET_BYTES_MAX) {
      throw new AppError('too-large', `an SFTP packet of ${length} bytes was announced; at most ${PACKET_BYTES_MAX} are allowed`);
    }
    const whole = LENGTH_BYTES + length;
    if (this.#held < whole) return null;
    const first = this.#joined(whole);
    this.#held -= whole;
    if (first.length === whole) this.#pieces.shift();
    else this.#pieces[0] = first.subarray(whole);
    return first.subarray(LENGTH_BYTES, whole);
  }

  /** Makes the first piece at least `length` bytes long, copying only when a packet lies in several. */
  #joined(length: number): Buffer {
    const first = this.#pieces[0];
    if (first && first.length >= length) return first;
    const joined = Buffer.concat(this.#pieces);
    this.#pieces = [joined];
    return joined;
  }
}
