// The HTTP API of the core: one server, one access control, all routes.
import Type from 'typebox';
import { HEADER } from '#contract/headers.ts';
import type { ChildrenParts } from '#core/access/children.ts';
import { createRateLimit } from '#core/access/rate-limit.ts';
import { addDescription } from '#core/api/describe/routes.ts';
import type { JobParts } from '#core/enrichment/jobs.ts';
import type { SubscriptionParts } from '#core/webhooks/subscriptions.ts';
import { AppError } from '#domain/error.ts';
import { askDatabase } from '#engines/ask.ts';
import type { Windows } from '#engines/windows.ts';
import { createHttpServer, type HttpOptions, type HttpServer } from '#runtime/http/server.ts';
import { LogThrottle } from '#runtime/log-throttle.ts';
import { sourceOf } from '#runtime/networks.ts';
import { createAccessControl } from './access-control.ts';
import { type AccessPointParts, addAccessPoint } from './access-point.ts';
import { type AddressParts, addAddresses } from './addresses.ts';
import { addEnrichment } from './enrichment.ts';
import { createClientErrorHandler, createErrorHandler } from './errors.ts';
import { addJsonRoutes, alwaysInvalid, invalidWhenReadable } from './json-bodies.ts';
import { addPartners } from './partners.ts';
import { addKeySet, addTokens, type IssueParts } from './tokens.ts';
import { addTransactions, type TransactionParts } from './transactions.ts';
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

type ApiParts = IssueParts &
  TransactionParts &
  AccessPointParts &
  ChildrenParts &
  SubscriptionParts &
  JobParts &
  AddressParts & {
    readonly windows: Windows;
    /** By which gateways know this core, while it rings them; null while it does not. May change meanwhile. */
    readonly ringing: { readonly as: string | null };
  };

export function createApi(parts: ApiParts, options: ApiOptions): HttpServer {
  const limits = createRateLimit(parts.windows, options, options.window);
  const accessControl = createAccessControl(parts, limits);
  const throttle = new LogThrottle(parts.log, parts.clock);
  const lines = throttle.lines(parts.log, ({ address }) => ({ session: null, by: { address: sourceOf(String(address)) } }));
  const answerError = createErrorHandler(lines, accessControl);
  const server = createHttpServer(options, {
    contentTypes: CONTENT_TYPES,
    answerError: (error, request, reply) => answerError(error, request, reply),
    answerMalformed: createClientErrorHandler(limits),
  });
  server.setNotFoundHandler(() => {
    throw new AppError('missing', 'There is no such endpoint.');
  });
  server.addHook('onClose', async () => throttle[Symbol.dispose]());
  server.addHook('onRequest', async (_request, reply) => {
    const { as } = parts.ringing;
    if (as !== null) reply.header(HEADER.rings, as);
  });
  server.decorateRequest('caller', null);
  server.addHook('onRequest', accessControl.admit);
  addDescription(server);
  const health = {
    summary: 'Says that the service and its ledger answer',
    response: { 200: Type.Object({ status: Type.Literal('success') }) },
  };
  server.get('/health', { schema: health, config: { open: true, access: 'health' } }, async () => {
    await askDatabase(parts.ledger);
    return HEALTHY;
  });
  addTransactions(server, parts);
  addAccessPoint(server, parts, accessControl);
  addAddresses(server, parts);
  if (parts.network.peppol) addTurnedAway(server, parts.ledger.read);
  addKeySet(server, parts.signingKeys);
  addJsonRoutes(server, answerError, alwaysInvalid, (part) => {
    addTokens(part, parts, accessControl);
    addPartners(part, parts);
  });
  addJsonRoutes(server, answerError, invalidWhenReadable, (part) => addWebhooks(part, parts));
  // A document grows by a third when it is written in base64.
  const fileMax = Math.ceil((options.bodyMax * 4) / 3) + ROOM_BYTES;
  addJsonRoutes(server, answerError, invalidWhenReadable, (part) => addEnrichment(part, parts), fileMax);
  return server;
}
