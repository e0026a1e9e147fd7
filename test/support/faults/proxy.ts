// Stands between gateway and core, and loses one request: before the core sees it, or its answer.
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';

const ACCEPTED = JSON.stringify({
  status: 'success',
  data: { message: 'Invoice was received.', invoice_id: '1', integrationId: '7e0c1c1a-0000-4000-8000-000000000000' },
});

export interface LossyProxy extends AsyncDisposable {
  /** How many requests have come. */
  readonly requests: number;
  /** Begins to stand before this address, and tells its own. */
  before(coreUrl: string): Promise<string>;
}

/**
 * `loses`: which request, counted from 1, and what of it; null loses none. `creates` loses each create, and says itself that it went well:
 * the defect that tests must notice.
 */
export function openLossyProxy(loses: { readonly number: number; readonly what: 'request' | 'answer' } | 'creates' | null): LossyProxy {
  let requests = 0;
  let target = '';
  const server = createServer((incoming, outgoing) => {
    requests++;
    const lost = loses !== null && loses !== 'creates' && loses.number === requests ? loses.what : null;
    if (loses === 'creates' && incoming.method === 'POST') outgoing.writeHead(200, { 'content-type': 'application/json' }).end(ACCEPTED);
    else if (lost === 'request') incoming.socket.destroy();
    else forward(incoming, outgoing, lost === 'answer');
  });

  function forward(incoming: IncomingMessage, outgoing: ServerResponse, losesAnswer: boolean): void {
    const { method, headers } = incoming;
    const inner = request(`${target}${incoming.url}`, { method, headers }, (answer) => {
      if (!losesAnswer) outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      // The core has done all that the request asks for when its answer is whole.
      if (losesAnswer) answer.resume().on('end', () => incoming.socket.destroy());
      else answer.pipe(outgoing);
    });
    inner.on('error', () => incoming.socket.destroy());
    incoming.pipe(inner);
  }

  return {
    get requests() {
      return requests;
    },
    async before(coreUrl) {
      target = coreUrl;
      await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
      const address = server.address();
      return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
