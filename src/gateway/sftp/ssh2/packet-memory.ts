// Memory for the packets of ssh2 under AES-GCM with its add-on: it makes a buffer for each that it encrypts or decrypts, for which V8 collects
// the whole heap again and again. Here each is lent; who has it behind him gives it back.
import { randomFillSync } from 'node:crypto';
import { createRequire } from 'node:module';
import { lend } from '#gateway/sftp/protocol/packet-buffers.ts';
import { property } from './property.ts';

const CIPHER = 'aes128-gcm@openssh.com';
/** What surrounds the payload of a packet (RFC 5647 §7.2): length, length of the padding, padding, tag. */
const [LENGTH_BYTES, BLOCK_BYTES, PADDING_MIN, TAG_BYTES] = [4, 16, 4, 16];

/** To be called once. Does nothing where ssh2 is built in another way than is known here. */
export function lendPacketMemory(): void {
  const crypto: unknown = createRequire(import.meta.url)('ssh2/lib/protocol/crypto.js');
  const info = property(property(crypto, 'CIPHER_INFO'), CIPHER);
  const [key, iv] = [Buffer.alloc(16), Buffer.alloc(12)];
  const nothing = (): void => {};
  const encrypting = make(crypto, 'createCipher', {
    outbound: { seqno: 0, cipherInfo: info, cipherKey: key, cipherIV: iv, onWrite: nothing },
  });
  const decrypting = make(crypto, 'createDecipher', {
    inbound: { seqno: 0, decipherInfo: info, decipherKey: key, decipherIV: iv, onPayload: nothing },
  });
  if (encrypting) Reflect.set(encrypting, 'allocPacket', allocatePacket);
  if (decrypting) Reflect.defineProperty(decrypting, '_packet', PACKET);
}

/** The prototype of what ssh2 makes for the cipher; undefined when it does not use its add-on. */
function make(crypto: unknown, name: string, options: object): object | undefined {
  const create = property(crypto, name);
  const made: unknown = typeof create === 'function' ? create(options) : undefined;
  const prototype: unknown = property(made, '_instance') ? Object.getPrototypeOf(made) : undefined;
  return typeof prototype === 'object' && prototype !== null ? prototype : undefined;
}

/** In place of ssh2's own: a packet with room for its tag. */
function allocatePacket(payloadBytes: number): Buffer {
  const bare = 1 + payloadBytes;
  const shortest = BLOCK_BYTES - (bare % BLOCK_BYTES);
  const padding = shortest < PADDING_MIN ? shortest + BLOCK_BYTES : shortest;
  const packet = lend(LENGTH_BYTES + bare + padding + TAG_BYTES);
  packet.writeUInt32BE(bare + padding, 0);
  packet[LENGTH_BYTES] = padding;
  pad(packet, LENGTH_BYTES + bare);
  return packet;
}

/** Random bytes for paddings (RFC 4253 §6), made for many packets at once: a call for each takes as long as its encryption. */
const random = Buffer.allocUnsafeSlow(4096);
let randomLeft = 0;

function pad(packet: Buffer, from: number): void {
  const bytes = packet.length - TAG_BYTES - from;
  if (randomLeft < bytes) randomLeft = randomFillSync(random).length;
  random.copy(packet, from, randomLeft - bytes, randomLeft);
  randomLeft -= bytes;
}

/** Where a decipher has the packet that it works on. */
const HELD = Symbol('packet');

/**
 * The packet that a decipher works on: ssh2 makes one when it finds none for an announced length, so it finds one. A packet that lies in
 * one piece in what came from the socket would be decrypted where it lies, and is copied.
 */
const PACKET: PropertyDescriptor & ThisType<{ [HELD]?: Buffer | null; _len: number; _lenBytes: number }> = {
  get(): Buffer | null {
    if (!this[HELD] && this._lenBytes === LENGTH_BYTES) this[HELD] = lend(this._len);
    return this[HELD] ?? null;
  },
  set(packet: Uint8Array | null) {
    this[HELD] = packet && copied(packet);
  },
};

/** Whether nothing that this decipher hands on lies in what it was given. */
export function copiesPackets(decipher: unknown): boolean {
  return typeof decipher === 'object' && decipher !== null && HELD in decipher;
}

function copied(packet: Uint8Array): Buffer {
  const copy = lend(packet.length);
  copy.set(packet);
  return copy;
}
