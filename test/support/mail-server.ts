// A mail server on loopback that remembers what it was given, and refuses when it is told to: as much of SMTP (RFC 5321) as a client needs.

import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';

export interface Mail {
  readonly from: string;
  readonly to: readonly string[];
  /** Headers, an empty line, and the body. */
  readonly text: string;
}

/** The body as people read it, whichever way it was encoded (RFC 2045). */
export function bodyOf({ text }: Mail): string {
  const [head = '', ...rest] = text.split('\n\n');
  const body = rest.join('\n\n');
  if (!/^content-transfer-encoding: quoted-printable$/im.test(head)) return body;
  const bytes = body.replace(/=\n/g, '').replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

export interface MailServer extends AsyncDisposable {
  readonly port: number;
  readonly mails: Mail[];
  /** Answers DATA with this code instead of 250. */
  refusal: string | null;
}

export async function startMailServer(): Promise<MailServer> {
  const mails: Mail[] = [];
  const sockets = new Set<Socket>();
  const state = { refusal: null as string | null };
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
    converse(socket, mails, () => state.refusal);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    port: (server.address() as AddressInfo).port,
    mails,
    get refusal() {
      return state.refusal;
    },
    set refusal(code) {
      state.refusal = code;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((closed) => server.close(closed));
    },
  };
}

function converse(socket: Socket, mails: Mail[], refusal: () => string | null): void {
  let from = '';
  let to: string[] = [];
  let data: string[] | null = null;
  let rest = '';
  const say = (line: string): void => void socket.write(`${line}\r\n`);
  const hear = (line: string): void => {
    if (data) {
      if (line !== '.') {
        data.push(line.replace(/^\.\./, '.'));
        return;
      }
      if (refusal() === null) mails.push({ from, to, text: data.join('\n') });
      data = null;
      say(refusal() ?? '250 taken');
      return;
    }
    const address = /<([^>]*)>/.exec(line)?.[1] ?? '';
    const verb = line.slice(0, 4).toUpperCase();
    if (verb === 'MAIL') [from, to] = [address, []];
    if (verb === 'RCPT') to.push(address);
    if (verb === 'DATA') data = [];
    say(verb === 'DATA' ? '354 go on' : verb === 'QUIT' ? '221 bye' : verb === 'EHLO' ? '250 mail.test' : '250 fine');
    if (verb === 'QUIT') socket.end();
  };
  say('220 mail.test');
  socket.setEncoding('utf8').on('data', (piece) => {
    const lines = (rest + String(piece)).split('\r\n');
    rest = lines.pop() ?? '';
    for (const line of lines) hear(line);
  });
}
