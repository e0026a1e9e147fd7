// A relay in front of the server that cuts the connection when so many bytes have come from the client, and lets nobody in again.
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface Relay extends Disposable {
  readonly port: number;
  /** Whether it has cut one. */
  readonly hasCut: boolean;
}

export async function startRelay(to: number, cutAfterBytes: number): Promise<Relay> {
  const sockets = new Set<Socket>();
  let hasCut = false;
  const cut = (): void => {
    hasCut = true;
    server.close();
    for (const socket of sockets) socket.resetAndDestroy();
  };
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    return socket;
  };
  const server = createServer((client) => {
    let bytes = 0;
    const target = keep(connect({ host: '127.0.0.1', port: to, noDelay: true }));
    keep(client);
    client.on('data', (piece) => {
      bytes += piece.length;
      if (bytes > cutAfterBytes) cut();
    });
    client.pipe(target).pipe(client);
    client.on('close', () => target.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    get hasCut() {
      return hasCut;
    },
    [Symbol.dispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
