// An HTTP server by Fastify: bodies as bytes, bounded; slow clients cut; TLS 1.2 or later; never plain HTTP where others could listen.
import { chmodSync, lstatSync, unlinkSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, type Socket } from 'node:net';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  type RawServerDefault,
} from 'fastify';
import { AppError } from '#domain/error.ts';
import type { Address } from '#runtime/config/kinds.ts';
import { systemCode } from '#runtime/files/system-code.ts';
import { isLoopback, isWithin, networksNow } from '#runtime/networks.ts';
import { type FollowedListener, followConnections } from './closing.ts';
import { serializerOf, validatorOf } from './compilers.ts';
import { cannotListen } from './listening.ts';
import { listenOnPassed } from './passed-socket.ts';

export interface HttpOptions {
  /** Port 0 is any free one. */
  readonly listen: Address;
  /** The descriptor of a socket that listens there already, and goes on when the server has closed; null is none. */
  readonly passed?: number | null;
  /** PEM texts. */
  readonly tls: { readonly cert: string; readonly key: string } | null;
  /** Addresses and networks of the proxies in front, which end TLS and say in X-Forwarded-For who asks; false is none. */
  readonly behindProxy: readonly string[] | false;
  /** Bytes of a request body at the most. */
  readonly bodyMax: number;
  /** The section of the settings that these come from, for sentences; `core` unless told otherwise. */
  readonly section?: string;
  /** Who may connect to a unix socket; this user and its group unless told otherwise. */
  readonly socketMode?: number;
  /** How long clients may take; the usual ones unless told otherwise. */
  readonly timeouts?: HttpTimeouts;
}

interface HttpTimeouts {
  /** Milliseconds until the head of a request, and until all of it, must be here. */
  readonly headers: number;
  readonly request: number;
}

/** How requests are answered that never reach a route. */
interface HttpAnswers {
  /** Content types whose bodies are handed over as bytes; any other is refused. */
  readonly contentTypes: readonly string[];
  readonly answerError: (error: unknown, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;
  /** What goes over the wire to an address whose request is malformed as HTTP or came too slowly. */
  readonly answerMalformed: (address: string) => Promise<string>;
}

export type HttpServer = FastifyInstance<RawServerDefault, IncomingMessage, ServerResponse, FastifyBaseLogger, TypeBoxTypeProvider>;

export type HttpRequest = FastifyRequest;
export type HttpReply = FastifyReply;

const TIMEOUTS: HttpTimeouts = { headers: 30_000, request: 300_000 };
/** How often the two timeouts above are looked at, at the most. */
const CHECK_EVERY_MS = 5_000;
/** A client that takes nothing of its answer for so long is cut. */
const SILENCE_MS = 120_000;
/** Longer than clients keep idle connections, so that it is not the server that closes one just when it is used again. */
const KEEP_ALIVE_MS = 72_000;
const CONNECTIONS_MAX = 10_000;
const HEADER_BYTES_MAX = 16 * 1024;
/** An address of a receiver has 135 at the most, each of which may be written as three. */
const PARAMETER_CHARACTERS_MAX = 500;
/** Ours and our group's, as the data folder is. */
const SOCKET_MODE = 0o660;

/** `tls` and `behindProxy` of the options may get other values meanwhile, for connections that come then. */
export function createHttpServer(options: HttpOptions, { contentTypes, answerError, answerMalformed }: HttpAnswers): HttpServer {
  const proxies = networksNow(() => options.behindProxy);
  /** One for each address of localhost. */
  const listeners: FollowedListener[] = [];
  let closing: Promise<unknown> | undefined;
  const server = fastify({
    bodyLimit: options.bodyMax,
    // Addresses of receivers stand in paths.
    routerOptions: { maxParamLength: PARAMETER_CHARACTERS_MAX },
    // Over a unix socket nobody but the proxy can come.
    trustProxy: (address?: string) => options.behindProxy !== false && (address === undefined || isWithin(proxies(), address)),
    forceCloseConnections: 'idle',
    // What came before the end is answered.
    return503OnClosing: false,
    // A HEAD on a read endpoint would mark documents that nobody gets.
    exposeHeadRoutes: false,
    frameworkErrors: (error, request, reply) => void answerError(error, request, reply),
    clientErrorHandler: (error, socket) => void refuseRaw(error, socket, answerMalformed),
    serverFactory: (handler) => {
      const listener = createListener(options, handler);
      listeners.push(followConnections(listener));
      listener.on('connection', (socket: Socket) => {
        const { remoteAddress } = socket;
        // Plain HTTP is for the proxies, and for this machine.
        if (!options.tls && remoteAddress !== undefined && !isLoopback(remoteAddress) && !isWithin(proxies(), remoteAddress))
          socket.destroy();
      });
      return listener;
    },
  })
    .withTypeProvider<TypeBoxTypeProvider>()
    .setValidatorCompiler(validatorOf)
    .setSerializerCompiler(serializerOf);
  server.addHook('onRequest', async ({ raw }) => refuseAmbiguous(raw));
  // Node takes in, and throws away, the rest that a refused client sends: cut while it sends, many a client never reads why. The connection ends,
  // though Fastify would always end it, where that rest is far more than is ever read.
  server.addHook('onSend', async ({ raw }, reply) => {
    const isTooMuch = !raw.complete && announcedBytes(raw) > 2 * options.bodyMax;
    if (isTooMuch || closing !== undefined) reply.header('connection', 'close');
    else if (!raw.complete) reply.removeHeader('connection');
  });
  // Before Fastify closes the listener; it is not waited for here, where Fastify waits for ten seconds only.
  server.addHook('preClose', async () => {
    closing = Promise.all(listeners.map((listener) => listener.end()));
  });
  server.addHook('onClose', () => closing);
  server.setErrorHandler(answerError);
  server.removeAllContentTypeParsers();
  server.addContentTypeParser([...contentTypes], { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  return server;
}

/** Of a body; infinite when it comes in chunks. */
function announcedBytes({ headers }: IncomingMessage): number {
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Number.POSITIVE_INFINITY;
}

const VERSIONS = new Set(['1.0', '1.1']);
/** Of which Node takes the first and a proxy perhaps the last (RFC 9112 §3.2, RFC 9110 §5.3). */
const ONCE = ['host', 'authorization'];

/** Throws `bad-request` for a request that a proxy in front, or a database behind us, could understand otherwise than we. */
function refuseAmbiguous({ httpVersion, rawHeaders, url = '' }: IncomingMessage): void {
  if (!VERSIONS.has(httpVersion))
    throw new AppError('bad-request', 'The request names no version of HTTP that is spoken here: send HTTP/1.1.');
  const names = rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
  const twice = ONCE.find((name) => names.indexOf(name) !== names.lastIndexOf(name));
  if (twice !== undefined) throw new AppError('bad-request', `The request has the header ${twice} twice: send it once.`);
  // No database keeps it as text.
  if (url.includes('%00')) throw new AppError('bad-request', 'The path or the query holds %00, which is U+0000: send it without.');
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

function createListener(options: HttpOptions, handler: Handler): Server {
  const { tls, timeouts = TIMEOUTS } = options;
  const limits = {
    headersTimeout: timeouts.headers,
    requestTimeout: timeouts.request,
    connectionsCheckingInterval: Math.min(CHECK_EVERY_MS, timeouts.headers, timeouts.request),
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: HEADER_BYTES_MAX,
  };
  const listener = tls ? createRenewedTlsServer(options, limits, handler) : createServer(limits, handler);
  listener.maxConnections = CONNECTIONS_MAX;
  return listener.setTimeout(SILENCE_MS);
}

/** With the certificate that the options hold when a connection comes. */
function createRenewedTlsServer(options: HttpOptions, limits: ServerOptions, handler: Handler): Server {
  let { tls } = options;
  const minVersion = 'TLSv1.2';
  const listener = createTlsServer({ ...limits, ...tls, minVersion }, handler);
  // Before Node's own listener begins the handshake.
  return listener.prependListener('connection', () => {
    if (options.tls === tls || !options.tls) return;
    tls = options.tls;
    listener.setSecureContext({ ...tls, minVersion });
  });
}

/** Answers a request that the parser gave up on, and closes. */
async function refuseRaw(error: NodeJS.ErrnoException, socket: Socket, answer: HttpAnswers['answerMalformed']): Promise<void> {
  // Whoever has gone hears nothing.
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  try {
    socket.end(await answer(socket.remoteAddress ?? ''));
  } finally {
    socket.destroySoon();
  }
}

/** Listens, and returns the base address; of a socket `unix:PATH`. Throws `usage` when the address is refused or cannot be had. */
export async function listenHttp(
  server: HttpServer,
  { listen, passed = null, tls, behindProxy, section = 'core', socketMode = SOCKET_MODE }: HttpOptions,
): Promise<string> {
  if ('host' in listen && !tls && !behindProxy && !isLoopback(listen.host)) {
    throw new AppError(
      'usage',
      `Plain HTTP on ${listen.host} would show keys and documents to the network: set ${section}.tls, listen on 127.0.0.1, or name in ${section}.behindProxy the proxies in front that end TLS.`,
    );
  }
  if (passed === null) await listenItself(server, listen, `${section}.listen`, socketMode);
  else {
    await server.ready();
    await listenOnPassed(server.server, passed, listen, `${section}.listen`);
  }
  if ('socket' in listen) return `unix:${listen.socket}`;
  const address = server.server.address();
  const port = typeof address === 'object' && address ? address.port : listen.port;
  const host = listen.host.includes(':') ? `[${listen.host}]` : listen.host;
  return `${tls ? 'https' : 'http'}://${host}:${port}`;
}

async function listenItself(server: HttpServer, listen: Address, setting: string, socketMode: number): Promise<void> {
  try {
    if ('socket' in listen) await listenOnSocket(server, listen.socket, socketMode);
    // Fastify writes into what it is given.
    else await server.listen({ ...listen });
  } catch (error) {
    throw cannotListen(setting, 'socket' in listen ? listen.socket : `${listen.host}:${listen.port}`, error);
  }
}

/** A socket that a killed process left behind is in the way, though nobody listens on it. */
async function listenOnSocket(server: HttpServer, path: string, mode: number): Promise<void> {
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (there && !there.isSocket()) throw new Error('a file that is no socket is in the way');
  if (there && (await isAbandoned(path))) unlinkSync(path);
  await server.listen({ path });
  chmodSync(path, mode);
}

function isAbandoned(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(path, () => {
      probe.destroy();
      resolve(false);
    });
    probe.on('error', (error) => resolve(systemCode(error) === 'ECONNREFUSED'));
  });
}
