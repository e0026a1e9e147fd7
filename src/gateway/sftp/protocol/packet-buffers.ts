// A pool of buffers for large packets: memory outside of the heap that is used once makes V8 collect the whole heap every few megabytes, which would be
// a good part of what a large file costs.

/** Sizes of buffers: a packet with a short document, an SSH packet with 32 KiB of data, and the largest SFTP packet with its length. */
const SIZES = [12 * 1024, 36 * 1024, 256 * 1024 + 4] as const;
/** Shorter buffers are allocated as usual. */
const POOLED_BYTES_MIN = 4 * 1024;
/** Free bytes of each size that are kept. */
const KEPT_BYTES_MAX = 8 * 2 ** 20;

/** By size. */
const free = new Map<number, Buffer[]>(SIZES.map((size) => [size, []]));
/** Buffers that were lent and are not given back; the garbage collector frees those that are lost. */
const lent = new WeakSet<ArrayBufferLike>();

/** A buffer of so many bytes, not cleared. */
export function lend(bytes: number): Buffer {
  const size = bytes < POOLED_BYTES_MIN ? undefined : SIZES.find((each) => bytes <= each);
  if (size === undefined) return Buffer.allocUnsafe(bytes);
  const buffer = free.get(size)?.pop() ?? Buffer.allocUnsafeSlow(size);
  lent.add(buffer.buffer);
  return buffer.subarray(0, bytes);
}

/** Gives back a lent buffer, or a part of it, which must not be used any more. Other buffers, and buffers that were given back, are ignored. */
export function giveBack({ buffer }: Uint8Array): void {
  if (!lent.delete(buffer)) return;
  const kept = free.get(buffer.byteLength);
  if (kept && (kept.length + 1) * buffer.byteLength <= KEPT_BYTES_MAX) kept.push(Buffer.from(buffer));
}
