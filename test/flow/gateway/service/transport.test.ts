// The way to the service, request by request: an answer is whole, or it is none.
import { createServer, type ServerResponse } from 'node:http';
import { MessageChannel } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { AppError } from '#domain/error.ts';
import { NOWHERE, openTransport, type Transport } from '#gateway/service/transport.ts';
import { answerPortHttp, openPortHttp } from '#runtime/threads/port-http.ts';
import { answerByServer } from '#runtime/threads/port-http-server.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

type Answering = (response: ServerResponse, path: string) => void;

async function overConnections(answer: Answering, requestTimeoutMs: number): Promise<Transport> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => answer(response, request.url ?? ''));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  ends.push(() => server.close().closeAllConnections());
  return openTransport({ url: `http://127.0.0.1:${port}` }, requestTimeoutMs);
}

async function byPort(answer: Answering, requestTimeoutMs: number): Promise<Transport> {
  const { port1, port2 } = new MessageChannel();
  answerPortHttp(port2, answerByServer({ routing: (request, response) => answer(response, request.url ?? '') }));
  const portHttp = openPortHttp(port1);
  ends.push(() => portHttp.close());
  return openTransport({ portHttp }, requestTimeoutMs);
}

const get = (path = '/') => ({ method: 'GET', path, headers: {} }) as const;
const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe.each([
  ['over connections', overConnections],
  ['to a core in this process', byPort],
] as const)('%s', (_way, open) => {
  const transportTo = (answer: Answering, requestTimeoutMs = 60_000): Promise<Transport> => open(answer, requestTimeoutMs);

  it('an answer is put together from its pieces; its headers go by lower case, a repeated one by its first value', async () => {
    const transport = await transportTo((response) => {
      response.writeHead(200, { 'RateLimit-Limit': '30', 'X-Twice': ['one', 'two'] });
      response.write('to');
      setImmediate(() => response.end('gether'));
    });
    const { status, headers, body } = await transport.send(get());
    expect([status, body.toString()]).toEqual([200, 'together']);
    expect([headers.get('ratelimit-limit'), headers.get('x-twice'), headers.get('x-none')]).toEqual(['30', 'one', undefined]);
  });

  it('an answer 200 is poured piece by piece; what the taker throws ends it, and the next request is answered', async () => {
    const transport = await transportTo(
      (response, path) => void response.writeHead(path === '/404' ? 404 : 200).end('x'.repeat(1_000_000)),
    );
    let poured = 0;
    const pour = (piece: Uint8Array): void => {
      poured += piece.length;
    };
    expect((await transport.send({ ...get(), pour })).body).toHaveLength(0);
    expect(poured).toBe(1_000_000);
    expect((await transport.send({ ...get('/404'), pour })).body).toHaveLength(1_000_000);

    const stop = new AppError('invalid', 'no list');
    const refuse = (): never => {
      throw stop;
    };
    expect(await failure(transport.send({ ...get(), pour: refuse }))).toBe(stop);
    expect((await transport.send(get())).body).toHaveLength(1_000_000);
  });

  it('the body of an answer 200 that nobody wants is left out; any other is kept', async () => {
    const transport = await transportTo(
      (response, path) => void response.writeHead(path === '/404' ? 404 : 200).end('x'.repeat(1_000_000)),
    );
    const { status, body } = await transport.send({ ...get(), pour: NOWHERE });
    expect([status, body.length]).toEqual([200, 0]);
    expect((await transport.send({ ...get('/404'), pour: NOWHERE })).body).toHaveLength(1_000_000);
  });

  it('an answer that is cut off, or does not end in time, is none', async () => {
    const transport = await transportTo((response, path) => {
      response.writeHead(200, { 'content-length': 100 }).write('half');
      if (path === '/cut') setImmediate(() => response.destroy());
    }, 1_000);
    for (const path of ['/cut', '/slow']) expect(await failure(transport.send(get(path)))).toMatchObject({ code: 'internal' });
  });
});
