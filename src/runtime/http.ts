// An HTTP server by Fastify: bodies as bytes, bounded; TLS 1.2 or later; never plain HTTP where others could listen.
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { type FastifyBaseLogger, type FastifyInstance, fastify, type RawServerDefault } from 'fastify';
import { AppError } from '#domain/error.ts';

export interface HttpOptions {
  /** Port 0 is any free one. */
  readonly listen: { readonly host: string; readonly port: number };
  /** PEM texts. */
  readonly tls: { readonly cert: string; readonly key: string } | null;
  /** A proxy in front ends TLS, and says in X-Forwarded-For who asks. */
  readonly behindProxy: boolean;
  /** Bytes of a request body at the most. */
  readonly bodyMax: number;
  /** Content types whose bodies are handed over as bytes; any other is refused. */
  readonly contentTypes: readonly string[];
}

export type HttpServer = FastifyInstance<
  RawServerDefault,
  import('node:http').IncomingMessage,
  import('node:http').ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

const HEADERS_TIMEOUT_MS = 30_000;
const REQUEST_TIMEOUT_MS = 300_000;
/** Longer than clients keep idle connections, so that it is not the server that closes one just when it is used again. */
const KEEP_ALIVE_MS = 72_000;
const CONNECTIONS_MAX = 10_000;

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
  server.removeAllContentTypeParsers();
  server.addContentTypeParser([...options.contentTypes], { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  return server;
}

/** Listens, and returns the base address. Throws `usage` when the address is refused or cannot be had. */
export async function listenHttp(server: HttpServer, { listen, tls, behindProxy }: HttpOptions): Promise<string> {
  if (!tls && !behindProxy && !isLoopback(listen.host)) {
    throw new AppError(
      'usage',
      `Plain HTTP on ${listen.host} would show keys and documents to the network: set core.tls, listen on 127.0.0.1, or set core.behindProxy when a proxy in front ends TLS.`,
    );
  }
  try {
    await server.listen(listen);
  } catch (error) {
    const sentence = `Cannot listen on ${listen.host}:${listen.port}: choose another address, or stop what listens there.`;
    throw new AppError('usage', sentence, { cause: error });
  }
  const address = server.server.address();
  const port = typeof address === 'object' && address ? address.port : listen.port;
  const host = listen.host.includes(':') ? `[${listen.host}]` : listen.host;
  return `${tls ? 'https' : 'http'}://${host}:${port}`;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}
