// The HTTP API of the core: one server, one gate, all routes.
import Type from 'typebox';
import { createRateLimit } from '#core/access/rate-limit.ts';
import { addDescription } from '#core/api/describe/routes.ts';
import type { Context } from '#core/model/context.ts';
import { AppError } from '#domain/error.ts';
import { createHttpServer, type HttpOptions, type HttpServer } from '#runtime/http/server.ts';
import { LogThrottle } from '#runtime/log-throttle.ts';
import { sourceOf } from '#runtime/networks.ts';
import { addAccessPoint } from './access-point.ts';
import { addEnrichment } from './enrichment.ts';
import { createClientErrorHandler, createErrorHandler } from './errors.ts';
import { createGate } from './gate.ts';
import { addJsonRoutes, alwaysInvalid, invalidWhenReadable } from './json-bodies.ts';
import { addPartners } from './partners.ts';
import { addKeySet, addTokens } from './tokens.ts';
import { addTransactions } from './transactions.ts';
import { addTurnedAway } from './turned-away.ts';
import { addWebhooks } from './webhooks.ts';

const CONTENT_TYPES = ['application/json', 'application/xml', 'text/xml'];

/** For what stands around a document in a body. */
const ROOM_BYTES = 16 * 1024;

const HEALTHY = { status: 'success' } as const;

export interface ApiOptions extends HttpOptions {
  /** Requests per `window` (milliseconds) and account. */
  readonly requests: number;
  readonly window: number;
}

export function createApi(context: Context, options: ApiOptions): HttpServer {
  const limits = createRateLimit(options.requests, options.window);
  const gate = createGate(context, limits);
  const throttle = new LogThrottle(context.log, context.clock);
  const lines = throttle.lines(context.log, ({ address }) => ({ session: null, by: { address: sourceOf(String(address)) } }));
  const answerError = createErrorHandler(lines, gate);
  const server = createHttpServer(options, {
    contentTypes: CONTENT_TYPES,
    answerError: (error, request, reply) => answerError(error, request, reply),
    answerMalformed: createClientErrorHandler(limits),
  });
  server.setNotFoundHandler(() => {
    throw new AppError('missing', 'There is no such endpoint.');
  });
  server.addHook('onClose', async () => throttle[Symbol.dispose]());
  server.decorateRequest('caller', null);
  server.addHook('onRequest', gate.admit);
  addDescription(server);
  const health = { summary: 'Says that the service is up', response: { 200: Type.Object({ status: Type.Literal('success') }) } };
  server.get('/health', { schema: health, config: { open: true, access: 'health' } }, async () => HEALTHY);
  addTransactions(server, context);
  addAccessPoint(server, context, gate);
  addTurnedAway(server, context);
  addKeySet(server, context);
  addJsonRoutes(server, answerError, alwaysInvalid, (part) => {
    addTokens(part, context, gate);
    addPartners(part, context);
  });
  addJsonRoutes(server, answerError, invalidWhenReadable, (part) => addWebhooks(part, context));
  // A document grows by a third when it is written in base64.
  const fileMax = Math.ceil((context.bodyMax * 4) / 3) + ROOM_BYTES;
  addJsonRoutes(server, answerError, invalidWhenReadable, (part) => addEnrichment(part, context), fileMax);
  return server;
}
