// A socket behind a proxy: reads the PROXY header that comes before the client's own bytes, and leaves those in the socket.
import type { Socket } from 'node:net';
import type { Clock } from '#runtime/clock.ts';
import { readProxyHeader } from './proxy-header.ts';

/** The proxy has its header ready when it connects. */
const HEADER_WITHIN_MS = 5_000;

/** The client's address; null when the proxy speaks for itself; undefined when there was no header, and the socket is of no use. */
export function clientBehind(socket: Socket, clock: Clock): Promise<string | null | undefined> {
  return new Promise((resolve) => {
    let read: Buffer = Buffer.alloc(0);
    const timer = clock.after(HEADER_WITHIN_MS, () => settle(undefined));
    const gone = (): void => settle(undefined);
    const settle = (address: string | null | undefined): void => {
      timer[Symbol.dispose]();
      socket.off('readable', look);
      socket.off('close', gone);
      socket.off('error', gone);
      resolve(address);
    };
    const look = (): void => {
      for (let piece: unknown = socket.read(); Buffer.isBuffer(piece); piece = socket.read()) read = Buffer.concat([read, piece]);
      const header = readProxyHeader(read);
      if (header.is === 'unfinished') return;
      settle(header.is === 'none' ? undefined : header.address);
      if (header.is === 'there') socket.unshift(read.subarray(header.bytes));
    };
    socket.on('readable', look);
    socket.on('close', gone);
    socket.on('error', gone);
  });
}
