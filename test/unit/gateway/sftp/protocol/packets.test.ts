import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PACKET_BYTES_MAX, PacketStream } from '#gateway/sftp/protocol/packets.ts';

function framed(packet: Uint8Array): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(packet.length);
  return Buffer.concat([length, packet]);
}

function drain(stream: PacketStream): Buffer[] {
  const packets: Buffer[] = [];
  for (let packet = stream.next(); packet; packet = stream.next()) packets.push(packet);
  return packets;
}

describe('PacketStream', () => {
  it('gives back the same packets however the bytes are cut', () => {
    const packets = fc.array(fc.uint8Array({ minLength: 1, maxLength: 300 }), { maxLength: 20 });
    const cuts = fc.infiniteStream(fc.integer({ min: 1, max: 97 }));
    fc.assert(
      fc.property(packets, cuts, (sent, sizes) => {
        const bytes = Buffer.concat(sent.map(framed));
        const stream = new PacketStream();
        const received: Buffer[] = [];
        for (let at = 0; at < bytes.length; ) {
          const piece = bytes.subarray(at, at + (sizes.next().value ?? 1));
          at += piece.length;
          stream.push(piece);
          received.push(...drain(stream));
        }
        expect(received.map((packet) => packet.toString('hex'))).toEqual(sent.map((packet) => Buffer.from(packet).toString('hex')));
      }),
      { numRuns: 300 },
    );
  });

  it('takes a packet of 256 KiB and refuses a longer or an empty one', () => {
    const stream = new PacketStream();
    stream.push(framed(Buffer.alloc(PACKET_BYTES_MAX)));
    expect(stream.next()?.length).toBe(PACKET_BYTES_MAX);
    for (const length of [0, PACKET_BYTES_MAX + 1, 0xffffffff]) {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(length);
      const other = new PacketStream();
      other.push(bytes);
      expect(() => other.next()).toThrow(expect.objectContaining({ code: 'too-large' }));
    }
  });
});
