// Memory for packets under AES-GCM with ssh2's add-on: ssh2 allocates a buffer for each packet, for which V8 collects the whole heap again and
// again. Here packets are lent from a pool, and given back when they are handled, so that large files take less CPU.
import { randomFillSync } from 'node:crypto';
import { lend } from '#gateway/sftp/protocol/packet-buffers.ts';
import { loadInternal } from './internals.ts';

const CIPHER = 'aes128-gcm@openssh.com';
/** What surrounds the payload of a packet (RFC 5647 §7.2): length, length of the padding, padding, tag. */
const [LENGTH_BYTES, BLOCK_BYTES, PADDING_MIN, TAG_BYTES] = [4, 16, 4, 16];

/** Does nothing when ssh2 does not use its add-on. */
export function lendPacketMemory(): void {
  const { bindingAvailable, CIPHER_INFO, createCipher, createDecipher } = loadInternal('crypto.js');
  if (!bindingAvailable) return;
  const info = CIPHER_INFO[CIPHER];
  const [key, iv] = [Buffer.alloc(16), Buffer.alloc(12)];
  const nothing = (): void => {};
  const cipher = createCipher({ outbound: { seqno: 0, cipherInfo: info, cipherKey: key, cipherIV: iv, onWrite: nothing } });
  const decipher = createDecipher({ inbound: { seqno: 0, decipherInfo: info, decipherKey: key, decipherIV: iv, onPayload: nothing } });
  Reflect.set(Reflect.getPrototypeOf(cipher) ?? {}, 'allocPacket', allocatePacket);
  Reflect.defineProperty(Reflect.getPrototypeOf(decipher) ?? {}, '_packet', PACKET);
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

/** The key under which a decipher keeps its current packet. */
const HELD = Symbol('packet');

/**
 * The current packet of a decipher. ssh2 allocates one when there is none for an announced length, so the getter lends one. A packet that came
 * from the socket in one piece would be decrypted in place, and is copied.
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

/** Whether the payloads of this decipher are copies, not parts of the bytes that it was given. */
export function copiesPackets(decipher: object): boolean {
  return HELD in decipher;
}

function copied(packet: Uint8Array): Buffer {
  const copy = lend(packet.length);
  copy.set(packet);
  return copy;
}
