// Memory for what a socket reads and writes: Node makes 64 KiB for each read, which costs as much as the packets themselves (packet-memory.ts).
import type { Socket } from 'node:net';
import { giveBack } from '#gateway/sftp/protocol/packet-buffers.ts';
import { copiesPackets } from './packet-memory.ts';
import { property } from './property.ts';

/** What is written to the socket comes back when it is on its way. */
export function giveBackWritten(socket: Socket): void {
  const write = socket.write.bind(socket);
  Reflect.set(socket, 'write', (bytes: Uint8Array | string, ...rest: unknown[]): unknown =>
    typeof bytes === 'string' || rest.length > 0 ? Reflect.apply(write, socket, [bytes, ...rest]) : write(bytes, () => giveBack(bytes)),
  );
}

/** All sockets are read into the same memory, one after the other: what came is worked on before the next comes. */
const READ_BYTES = 128 * 1024;
const memory = Buffer.allocUnsafeSlow(READ_BYTES);

/**
 * From now on the socket is read as Node reads one that was opened with `onread`. To be called when ssh2 listens and all is encrypted.
 * `protocol` is ssh2's for this connection. Does nothing where Node is built in another way than is known here.
 */
export function readIntoShared(socket: Socket, protocol: unknown): void {
  const handle = property(socket, '_handle');
  const use = property(handle, 'useUserBuffer');
  const symbols = Object.getOwnPropertySymbols(socket);
  const [buffer, callback] = ['kBuffer', 'kBufferCb'].map((name) => symbols.find(({ description }) => description === name));
  if (typeof use !== 'function' || !buffer || !callback) return;
  const isSafe = openSafety(protocol);
  Reflect.set(socket, buffer, memory);
  Reflect.set(socket, callback, (bytes: number): void => {
    const piece = memory.subarray(0, bytes);
    socket.emit('data', isSafe() ? piece : Buffer.from(piece));
  });
  Reflect.apply(use, handle, [memory]);
}

/** Tells whether nothing of what is read now will be looked at later: its decipher copies, and cannot become another one before the next read. */
function openSafety(protocol: unknown): () => boolean {
  let [decipher, exchange] = [property(protocol, '_decipher'), property(protocol, '_kex')];
  return () => {
    const [decipherNow, exchangeNow] = [property(protocol, '_decipher'), property(protocol, '_kex')];
    if (decipherNow !== decipher) [decipher, exchange] = [decipherNow, exchangeNow];
    return exchangeNow === exchange && copiesPackets(decipher);
  };
}
