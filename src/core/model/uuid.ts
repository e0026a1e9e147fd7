// UUIDs: of messages, tokens, webhooks and their events.
import type { Random } from '#domain/id.ts';

/** Random (RFC 9562 §5.4). */
export function newUuid(random: Random): string {
  return written(Buffer.from(random(16)), 4);
}

/** Begins with its time (RFC 9562 §5.7): what is made one after the other stands together in an index, also in one of millions. */
export function newTimedUuid(random: Random, nowMs: number): string {
  const bytes = Buffer.from(random(16));
  bytes.writeUIntBE(nowMs, 0, 6);
  return written(bytes, 7);
}

function written(bytes: Buffer, version: 4 | 7): string {
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | (version << 4), 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
