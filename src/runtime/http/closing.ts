// How an HTTP listener ends: what was asked is answered; what is not all here, or not taken, is not waited for, since those who connect meanwhile wait
// for the next daemon where systemd holds the socket.
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How often it is looked for connections that have nothing to do any more. */
const LOOK_MS = 50;
/** For the rest of requests that have begun to come, and of answers that have begun to go. */
const REST_MS = 3_000;

export interface FollowedListener {
  /** Resolves when the listener and all connections have ended. */
  end(): Promise<void>;
}

/** Follows the connections of a listener from its start. */
export function followConnections(listener: Server): FollowedListener {
  const sockets = new Set<Socket>();
  const answers = new Set<ServerResponse>();
  listener.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  listener.on('request', (_request, response) => {
    answers.add(response);
    response.once('close', () => answers.delete(response));
  });
  const cutTheRest = (): void => {
    const isOwed = ({ req, writableEnded }: ServerResponse): boolean => req.complete && !writableEnded;
    const owed = new Set([...answers].filter(isOwed).map(({ req }) => peerOf(req.socket)));
    for (const socket of sockets) if (!owed.has(peerOf(socket))) socket.destroy();
  };
  return {
    async end() {
      if (!listener.listening) return;
      const looks = setInterval(() => listener.closeIdleConnections(), LOOK_MS);
      const rest = setTimeout(cutTheRest, REST_MS);
      await new Promise((closed) => listener.close(closed));
      clearInterval(looks);
      clearTimeout(rest);
    },
  };
}

/** Under TLS a request has another object for its connection than the listener. */
function peerOf(socket: Socket): Socket | string {
  return socket.remotePort === undefined ? socket : `${socket.remoteAddress} ${socket.remotePort}`;
}
