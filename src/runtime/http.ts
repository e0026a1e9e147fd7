// An HTTP server by Fastify: bodies as bytes, bounded; TLS 1.2 or later; never plain HTTP where others could listen.
import { chmodSync, lstatSync, unlinkSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect } from 'node:net';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { type FastifyBaseLogger, type FastifyInstance, fastify, type RawServerDefault } from 'fastify';
import { AppError } from '#domain/error.ts';
import type { Address } from './kinds.ts';

export interface HttpOptions {
  /** Port 0 is any free one. */
  readonly listen: Address;
  /** PEM texts. */
  readonly tls: { readonly cert: string; readonly key: string } | null;
  /** A proxy in front ends TLS, and says in X-Forwarded-For who asks. */
  readonly behindProxy: boolean;
  /** Bytes of a request body at the most. */
  readonly bodyMax: number;
  /** Content types whose bodies are handed over as bytes; any other is refused. */
  readonly contentTypes: readonly string[];
}

export type HttpServer = FastifyInstance<RawServerDefault, IncomingMessage, ServerResponse, FastifyBaseLogger, TypeBoxTypeProvider>;

const HEADERS_TIMEOUT_MS = 30_000;
const REQUEST_TIMEOUT_MS = 300_000;
/** Longer than clients keep idle connections, so that it is not the server that closes one just when it is used again. */
const KEEP_ALIVE_MS = 72_000;
const CONNECTIONS_MAX = 10_000;
/** Ours and our group's, as the data folder is. */
const SOCKET_MODE = 0o660;

export function createHttpServer(options: HttpOptions): HttpServer {
  const limits = { headersTimeout: HEADERS_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS, keepAliveTimeout: KEEP_ALIVE_MS };
  const { tls } = options;
  const server = fastify({
    bodyLimit: options.bodyMax,
    trustProxy: options.behindProxy,
    forceCloseConnections: 'idle',
    // A HEAD on a read endpoint would mark documents that nobody gets.
    exposeHeadRoutes: false,
    serverFactory: (handler) => {
      const listener = tls ? createTlsServer({ ...limits, ...tls, minVersion: 'TLSv1.2' }, handler) : createServer(limits, handler);
      listener.maxConnections = CONNECTIONS_MAX;
      return listener;
    },
  }).withTypeProvider<TypeBoxTypeProvider>();
  // Schemas of responses describe; they do not rewrite what a handler sends.
  server.setSerializerCompiler(() => JSON.stringify);
  server.removeAllContentTypeParsers();
  server.addContentTypeParser([...options.contentTypes], { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  return server;
}

/** Listens, and returns the base address; of a socket `unix:PATH`. Throws `usage` when the address is refused or cannot be had. */
export async function listenHttp(server: HttpServer, { listen, tls, behindProxy }: HttpOptions): Promise<string> {
  if ('host' in listen && !tls && !behindProxy && !isLoopback(listen.host)) {
    throw new AppError(
      'usage',
      `Plain HTTP on ${listen.host} would show keys and documents to the network: set core.tls, listen on 127.0.0.1, or set core.behindProxy when a proxy in front ends TLS.`,
    );
  }
  try {
    if ('socket' in listen) await listenOnSocket(server, listen.socket);
    else await server.listen(listen);
  } catch (error) {
    const where = 'socket' in listen ? listen.socket : `${listen.host}:${listen.port}`;
    throw new AppError('usage', `Cannot listen on ${where}: choose another address, or stop what listens there.`, { cause: error });
  }
  if ('socket' in listen) return `unix:${listen.socket}`;
  const address = server.server.address();
  const port = typeof address === 'object' && address ? address.port : listen.port;
  const host = listen.host.includes(':') ? `[${listen.host}]` : listen.host;
  return `${tls ? 'https' : 'http'}://${host}:${port}`;
}

/** A socket that a killed process left behind is in the way, though nobody listens on it. */
async function listenOnSocket(server: HttpServer, path: string): Promise<void> {
  if (await isAbandoned(path)) unlinkSync(path);
  await server.listen({ path });
  chmodSync(path, SOCKET_MODE);
}

function isAbandoned(path: string): Promise<boolean> {
  // A connection to what is no socket is refused as well.
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSocket()) return Promise.resolve(false);
  return new Promise((resolve) => {
    const probe = connect(path, () => {
      probe.destroy();
      resolve(false);
    });
    probe.on('error', (error) => resolve('code' in error && error.code === 'ECONNREFUSED'));
  });
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}
