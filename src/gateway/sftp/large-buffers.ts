// Memory for large packets, used again and again: memory outside of the heap that is only used once makes V8 collect the whole heap after
// every few megabytes, which took a fifth of the time of a transfer.

/** One packet of the largest size, with its length in front. */
const LARGE_BYTES = 256 * 1024 + 4;
/** Below this a buffer is made as usual. */
const WORTH_BYTES = 48 * 1024;
const KEPT_MAX = 32;

const free: Buffer[] = [];
/** What was lent and has not come back; what never does is left to the garbage collector. */
const lent = new WeakSet<ArrayBufferLike>();

/** A buffer of so many bytes, with whatever was in it before. */
export function lend(bytes: number): Buffer {
  if (bytes < WORTH_BYTES || bytes > LARGE_BYTES) return Buffer.allocUnsafe(bytes);
  const buffer = free.pop() ?? Buffer.allocUnsafeSlow(LARGE_BYTES);
  lent.add(buffer.buffer);
  return buffer.subarray(0, bytes);
}

/** Takes back what was lent, or any part of it; everything else, and a second time, is ignored. Nobody may use it any more. */
export function giveBack(buffer: Buffer): void {
  if (!lent.delete(buffer.buffer) || free.length >= KEPT_MAX) return;
  free.push(Buffer.from(buffer.buffer, 0, LARGE_BYTES));
}
