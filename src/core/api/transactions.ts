// The transaction routes, generic over the family table: create, list, read, status, in both directions.
import Type from 'typebox';
import { acceptedNotation, HEADER, MINIMAL, notationOf, prefersMinimal } from '#contract/headers.ts';
import { type Endpoint, endpointOf, isNotOffered } from '#contract/routes.ts';
import { createOperations, otherFamilies, pageOperations } from '#core/api/describe/transactions.ts';
import { type CreateParts, createMessage } from '#core/transactions/create.ts';
import { listPage, type PageParts, readPage, statusPage } from '#core/transactions/pages.ts';
import { AppError } from '#domain/error.ts';
import { familyOfSegment } from '#domain/family.ts';
import { STRICT } from '#domain/validation.ts';
import type { HttpServer } from '#runtime/http/server.ts';
import { pathOf } from './errors.ts';
import { AccountParams, CreateHeaders, CreateQuery, filterOf, PageQuery, ReadHeaders, type Target } from './query.ts';
import { createResponse, type DocumentParts, sendDocument, sendList, sendResponse, sendStatuses } from './responses.ts';

const Params = Type.Object({
  ...AccountParams.properties,
  family: Type.String(),
  direction: Type.Union([Type.Literal('incoming'), Type.Literal('outgoing')]),
});
const PageParams = Type.Object({ ...Params.properties, last: Type.Optional(Type.String()) });

export type TransactionParts = CreateParts & PageParts & DocumentParts;

export function addTransactions(server: HttpServer, parts: TransactionParts): void {
  const path = '/transaction/:accountRegNo/:family/:direction';

  const create = { params: Params, querystring: CreateQuery, headers: CreateHeaders };
  server.post(path, { schema: create, config: { operations: createOperations } }, async (request, reply) => {
    const { accountRegNo, family, direction } = targetOf(request.params, 'list');
    const notation = notationOf(request.headers['content-type']);
    if (!notation || !Buffer.isBuffer(request.body) || request.body.length === 0) {
      throw new AppError('bad-request', 'The request has no body: send the document as application/json or application/xml.');
    }
    const idempotencyKey = request.headers[HEADER.idempotencyKey];
    const response = await createMessage(parts, {
      accountRegNo,
      family,
      direction,
      notation,
      body: request.body,
      overwrite: request.query.overwrite,
      idempotencyKey,
      validation: request.caller?.account?.validation ?? STRICT,
      path: pathOf(request),
      respond: (...received) => createResponse(family, acceptedNotation(request.headers.accept), ...received),
    });
    return sendResponse(reply, response);
  });

  const page = { params: PageParams, querystring: PageQuery, headers: ReadHeaders };
  for (const url of [path, `${path}/:last`]) {
    const operations = url === path ? [...pageOperations, ...otherFamilies] : [];
    server.get(url, { schema: page, config: { operations } }, async (request, reply) => {
      const target = targetOf(request.params, request.params.last);
      const notation = target.endpoint === 'status' ? 'json' : acceptedNotation(request.headers.accept);
      const query = notation === 'xml' ? { ...request.query, limit: 1 } : request.query;
      const filter = filterOf(target, query, parts.clock.now());
      const mark = query.markUnread ? 'unread' : 'read';
      const found = await PAGES[target.endpoint](parts, filter, mark);
      const [first] = found;
      if (!first && !(notation === 'json' && answersEmptyList(target))) return reply.status(204).send();
      if (target.endpoint === 'read' && query.integrationId !== '' && prefersMinimal(request.headers.prefer)) {
        return reply.status(204).header(HEADER.preferenceApplied, MINIMAL).send();
      }
      if (target.endpoint === 'status') return sendStatuses(parts.ledger.read, reply, found);
      return notation === 'xml' && first ? sendDocument(parts, reply, first) : sendList(parts, reply, target.family, found);
    });
  }
}

const PAGES = { list: listPage, read: readPage, status: statusPage } as const;

/** The specification lists no 204 for the outgoing read of despatch advices (decisions A3, Empty page). */
function answersEmptyList({ family, direction, endpoint }: Target): boolean {
  return family.name === 'DespatchAdvice' && direction === 'outgoing' && endpoint === 'read';
}

/** Throws `missing`, `not-implemented`. */
function targetOf(params: Type.Static<typeof Params>, last: Endpoint | string = 'list'): Target {
  const family = familyOfSegment(params.family);
  if (!family && isNotOffered(params.family)) {
    throw new AppError('not-implemented', `The family ${params.family} is not offered by this service.`);
  }
  const endpoint = last === 'list' ? 'list' : family && endpointOf(family, last);
  if (!family || !endpoint) throw new AppError('missing', 'There is no such endpoint.');
  return { accountRegNo: params.accountRegNo, family, direction: params.direction, endpoint };
}
