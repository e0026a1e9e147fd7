// A service in a process of its own whose lists are long: each account has some documents of many megabytes, and nothing is held here either.
// Arguments: documents of each account, bytes of each. Prints its port.

import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { invoiceOfSize } from './documents.ts';

const [count = 0, bytes = 0] = process.argv.slice(2).map(Number);
const document = Buffer.from(invoiceOfSize(bytes, { id: 'LARGE-000' }));
const at = document.indexOf('LARGE-000');
const PIECE = Buffer.alloc(64 * 1024, 'x');

async function write(response: ServerResponse, piece: Buffer | string): Promise<void> {
  if (!response.write(piece)) await once(response, 'drain');
}

async function writeList(response: ServerResponse, indexes: readonly number[]): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/json' });
  await write(response, '{"status":"success","data":[');
  for (const [place, index] of indexes.entries()) {
    await write(response, `${place > 0 ? ',' : ''}{"Invoice":{"Note":["${index}`);
    for (let written = 0; written < bytes; written += PIECE.length) await write(response, PIECE);
    await write(response, `"]},"integrationId":"document-${index}"}`);
  }
  response.end(']}');
}

async function writeDocument(response: ServerResponse, index: number): Promise<void> {
  const named = Buffer.from(document);
  named.write(String(index).padStart(3, '0'), at + 'LARGE-'.length);
  response.writeHead(200, { 'content-type': 'application/xml', integrationid: `document-${index}` });
  response.end(named);
}

const server = createServer((request, response) => {
  const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://service');
  const id = query.get('integrationId');
  const isList = pathname.endsWith('/invoices/incoming');
  if (isList && id !== null) void writeDocument(response, Number(id.slice('document-'.length)));
  else if (isList) {
    const [limit, offset] = [Number(query.get('limit') ?? 3), Number(query.get('offset') ?? 0)];
    const indexes = Array.from({ length: count }, (_, index) => index).slice(offset, offset + limit);
    if (indexes.length > 0) void writeList(response, indexes);
    else response.writeHead(204).end();
  } else response.writeHead(204).end();
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object' && address) process.stdout.write(`${address.port}\n`);
});
