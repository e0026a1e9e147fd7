// Framing: cuts the byte stream of an SFTP channel into packets (draft-ietf-secsh-filexfer-02 §3: uint32 length, then that many bytes).
import { AppError } from '#domain/error.ts';
import { giveBack, lend } from './packet-buffers.ts';

/** OpenSSH's limit too; its clients send at most this much in one packet. */
export const PACKET_BYTES_MAX = 256 * 1024;

const LENGTH_BYTES = 4;

/**
 * Takes bytes as they come, and returns whole packets; holds at most one unfinished packet and the last piece. Lent pieces are given back as soon
 * as they are copied; packets are lent, and their user may give them back.
 */
export class PacketStream {
  #pieces: Buffer[] = [];
  #held = 0;
  /** The packet whose bytes are being gathered, and how many of them there are. */
  #packet: Buffer | null = null;
  #gathered = 0;

  push(piece: Buffer): void {
    if (piece.length === 0) return;
    this.#pieces.push(piece);
    this.#held += piece.length;
  }

  /** The next packet without its length, or null when more bytes must come. Throws `too-large`, after which the stream is unusable. */
  next(): Buffer | null {
    if (!this.#packet) {
      if (this.#held < LENGTH_BYTES) return null;
      const head = Buffer.allocUnsafe(LENGTH_BYTES);
      this.#move(head, 0);
      this.#packet = lend(checked(head.readUInt32BE()));
      this.#gathered = 0;
    }
    this.#gathered += this.#move(this.#packet, this.#gathered);
    if (this.#gathered < this.#packet.length) return null;
    const packet = this.#packet;
    this.#packet = null;
    return packet;
  }

  /** Copies into `target` from `at` on what is held, as far as it fits. Returns the number of bytes. */
  #move(target: Buffer, at: number): number {
    let end = at;
    for (let first = this.#pieces[0]; first && end < target.length; first = this.#pieces[0]) {
      const copied = first.copy(target, end);
      end += copied;
      if (copied < first.length) {
        this.#pieces[0] = first.subarray(copied);
      } else {
        this.#pieces.shift();
        giveBack(first);
      }
    }
    this.#held -= end - at;
    return end - at;
  }
}

function checked(length: number): number {
  if (length === 0 || length > PACKET_BYTES_MAX) {
    throw new AppError('too-large', `an SFTP packet of ${length} bytes was announced; at most ${PACKET_BYTES_MAX} are allowed`);
  }
  return length;
}
