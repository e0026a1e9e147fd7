// Memory for large packets, used again and again: memory outside of the heap that is only used once makes V8 collect the whole heap after
// every few megabytes, which took a third of the time of a transfer.

/** What is lent, smallest first: a packet with a short document, one with 32 KiB and all that SSH puts around, and an SFTP packet of the largest size with its length in front. */
const SIZES = [12 * 1024, 36 * 1024, 256 * 1024 + 4] as const;
/** Below this a buffer is made as usual. */
const WORTH_BYTES = 4 * 1024;
/** Bytes of each size that are kept at the most. */
const KEPT_BYTES_MAX = 8 * 2 ** 20;

/** By size. */
const free = new Map<number, Buffer[]>(SIZES.map((size) => [size, []]));
/** What was lent and has not come back; what never does is left to the garbage collector. */
const lent = new WeakSet<ArrayBufferLike>();

/** A buffer of so many bytes, with whatever was in it before. */
export function lend(bytes: number): Buffer {
  const size = bytes < WORTH_BYTES ? undefined : SIZES.find((each) => bytes <= each);
  if (size === undefined) return Buffer.allocUnsafe(bytes);
  const buffer = free.get(size)?.pop() ?? Buffer.allocUnsafeSlow(size);
  lent.add(buffer.buffer);
  return buffer.subarray(0, bytes);
}

/** Takes back what was lent, or any part of it; everything else, and a second time, is ignored. Nobody may use it any more. */
export function giveBack({ buffer }: Uint8Array): void {
  if (!lent.delete(buffer)) return;
  const kept = free.get(buffer.byteLength);
  if (kept && (kept.length + 1) * buffer.byteLength <= KEPT_BYTES_MAX) kept.push(Buffer.from(buffer));
}
