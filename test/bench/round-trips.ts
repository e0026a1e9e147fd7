// A relay in front of PostgreSQL that counts how often a connection waited for an answer before it spoke again.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { PostgresServer } from '../support/postgres-server.ts';

export interface RoundTrips extends Disposable {
  readonly host: string;
  readonly port: number;
  /** Of all connections, since it began. */
  readonly count: number;
}

export async function countRoundTrips({ host, port }: PostgresServer): Promise<RoundTrips> {
  const open = new Set<Socket>();
  let count = 0;
  const relay = createServer({ noDelay: true }, (client) => {
    const server = connect({ host, port, noDelay: true });
    let isAnswered = true;
    client.on('data', () => {
      if (isAnswered) count++;
      isAnswered = false;
    });
    server.on('data', () => {
      isAnswered = true;
    });
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      open.add(from);
      from.on('error', () => to.destroy()).on('close', () => open.delete(from));
      from.pipe(to);
    }
  });
  relay.listen(0, host);
  await once(relay, 'listening');
  return {
    host,
    port: (relay.address() as AddressInfo).port,
    get count() {
      return count;
    },
    [Symbol.dispose]() {
      relay.close();
      for (const socket of open) socket.destroy();
    },
  };
}
