// Memory for reads and writes of sockets: Node allocates 64 KiB for each read, which costs as much as the packets do (packet-memory.ts).
import type { Socket } from 'node:net';
import { giveBack } from '#gateway/sftp/protocol/packet-buffers.ts';
import type { Protocol } from './internals.ts';
import { copiesPackets } from './packet-memory.ts';

/** Gives buffers back to the pool when they are written to the socket. */
export function giveBackWritten(socket: Socket): void {
  const write = socket.write.bind(socket);
  Reflect.set(socket, 'write', (bytes: Uint8Array | string, ...rest: unknown[]): unknown =>
    typeof bytes === 'string' || rest.length > 0 ? Reflect.apply(write, socket, [bytes, ...rest]) : write(bytes, () => giveBack(bytes)),
  );
}

/** All sockets are read into the same memory, one after the other: a read is processed before the next one. */
const READ_BYTES = 128 * 1024;
const memory = Buffer.allocUnsafeSlow(READ_BYTES);

/**
 * From now on the socket is read as Node reads a socket that was opened with `onread`. To be called after the first key exchange. Does nothing
 * where Node's private parts are not as they are here: they belong to no public version.
 */
export function readIntoShared(socket: Socket, protocol: Protocol): void {
  const handle: unknown = Reflect.get(socket, '_handle');
  const use: unknown = typeof handle === 'object' && handle !== null ? Reflect.get(handle, 'useUserBuffer') : undefined;
  const symbols = Object.getOwnPropertySymbols(socket);
  const [buffer, callback] = ['kBuffer', 'kBufferCb'].map((name) => symbols.find(({ description }) => description === name));
  if (typeof use !== 'function' || !buffer || !callback) return;
  const isShareable = shareability(protocol);
  Reflect.set(socket, buffer, memory);
  Reflect.set(socket, callback, (bytes: number): void => {
    const piece = memory.subarray(0, bytes);
    socket.emit('data', isShareable() ? piece : Buffer.from(piece));
  });
  Reflect.apply(use, handle, [memory]);
}

/** Tells whether no part of a read is used after it: the decipher copies packets, and is not replaced before the next read. */
function shareability(protocol: Protocol): () => boolean {
  let { _decipher: decipher, _kex: exchange } = protocol;
  return () => {
    if (protocol._decipher !== decipher) ({ _decipher: decipher, _kex: exchange } = protocol);
    return protocol._kex === exchange && copiesPackets(decipher);
  };
}
