// A POST whose body goes on for as long as the server takes it.
import { connect } from 'node:net';

const PIECE = Buffer.alloc(64 * 1024, 'x');
/** More than the system's buffers between two programs take in. */
export const ENDLESS_BYTES = 64 * 2 ** 20;

export interface Ended {
  readonly answer: string;
  readonly sentBytes: number;
}

/** `head`: lines of the request, without the empty one. Resolves when the connection is closed, or ENDLESS_BYTES were taken. */
export async function postEndlessly(url: string, head: readonly string[]): Promise<Ended> {
  const { port, pathname } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  let answer = '';
  let sentBytes = 0;
  let isOver = false;
  socket.on('error', () => {});
  socket.on('data', (bytes) => {
    answer += bytes.toString('latin1');
  });
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => {
      isOver = true;
      resolve();
    });
  });
  socket.write(`${[`POST ${pathname} HTTP/1.1`, 'host: x', ...head].join('\r\n')}\r\n\r\n`);
  // The first chunk of a body in chunks, which never ends.
  if (head.some((line) => line.startsWith('transfer-encoding'))) socket.write('ffffffff\r\n');
  while (!isOver && sentBytes < ENDLESS_BYTES) {
    sentBytes += PIECE.length;
    if (!socket.write(PIECE)) await Promise.race([new Promise((drained) => socket.once('drain', drained)), closed]);
  }
  socket.destroy();
  await closed;
  return { answer, sentBytes };
}
