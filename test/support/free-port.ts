// Ports for those who must have the same one again after each death.
import { createServer } from 'node:net';

/** Below those that a system gives to outgoing connections: one of these could take the port while nobody listens. */
const [PORT_MIN, PORT_MAX] = [10_240, 32_000];

export async function freePort(): Promise<number> {
  for (;;) {
    const port = PORT_MIN + Math.floor(Math.random() * (PORT_MAX - PORT_MIN));
    if (await isFree(port)) return port;
  }
}

export function isFree(port: number): Promise<boolean> {
  return new Promise((told) => {
    const server = createServer();
    server.once('error', () => told(false));
    server.listen(port, '127.0.0.1', () => server.close(() => told(true)));
  });
}
