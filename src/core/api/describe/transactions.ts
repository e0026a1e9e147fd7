// The transaction API as operations: the family table written out, so that every family has its own paths and schemas.

import Type from 'typebox';
import { closed } from '#contract/closed.ts';
import { CreateEnvelope, ListEnvelope, ListItem, StatusObject } from '#contract/envelopes.ts';
import { HEADER, MEDIA_TYPE } from '#contract/headers.ts';
import { NOT_OFFERED } from '#contract/routes.ts';
import { AccountParams, CreateHeaders, CreateQuery, PageQuery, ReadHeaders } from '#core/api/query.ts';
import { DIRECTIONS, type Direction } from '#domain/account.ts';
import { withArticle } from '#domain/amounts.ts';
import { FAMILIES, type Family } from '#domain/family.ts';
import type { Operation, SuccessResponse } from './operation.ts';

const PAGE_ERRORS = [400, 401, 403, 404, 429, 500, 503];
const CREATE_ERRORS = [400, 401, 403, 404, 409, 422, 429, 500, 503];
const NOTHING: SuccessResponse = { description: 'There is nothing (more). No body.', content: {} };

const document = Type.Object({}, { additionalProperties: true, description: 'The document in the JSON representation of UBL 2.1.' });
const WithoutMarkUnread = Type.Omit(PageQuery, ['markUnread']);
const xmlDocument = (family: Family) => Type.String({ description: `The document in UBL 2.1, root element ${family.name}.` });

export const createOperations: readonly Operation[] = each((family, direction, path) => [
  {
    method: 'post',
    path,
    tag: family.name,
    summary:
      direction === 'outgoing'
        ? `Send ${withArticle(family.name)} to its receiver`
        : `Put ${withArticle(family.name)} among those that the account received`,
    params: AccountParams,
    query: CreateQuery,
    headers: CreateHeaders,
    body: {
      [MEDIA_TYPE.json]: Type.Object({ [family.name]: document }, { additionalProperties: true }),
      [MEDIA_TYPE.xml]: xmlDocument(family),
    },
    bodyRequired: true,
    successes: { 200: created(family) },
    errors: CREATE_ERRORS,
  },
]);

export const pageOperations: readonly Operation[] = each((family, direction, path) => {
  const common = { method: 'get', tag: family.name, params: AccountParams, query: WithoutMarkUnread, errors: PAGE_ERRORS } as const;
  const messages = listed(family);
  // Decisions A3, Empty page: the specification lists no 204 there.
  const readAlways = family.name === 'DespatchAdvice' && direction === 'outgoing';
  return [
    { ...common, path, summary: `List ${direction} ${family.name} messages, newest first`, successes: orNothing(messages) },
    {
      ...common,
      path: `${path}/${family.read}`,
      summary: `Take ${direction} ${family.name} messages that are unread, and mark them read`,
      query: family.readFilters ? PageQuery : WithoutMarkUnread,
      headers: ReadHeaders,
      successes: readAlways ? { 200: messages } : orNothing(messages),
    },
    {
      ...common,
      path: `${path}/status`,
      summary: `Status of ${direction} ${family.name} messages, without the documents`,
      successes: orNothing({ description: 'The status objects.', content: { [MEDIA_TYPE.json]: Type.Array(StatusObject) } }),
    },
  ];
});

/** Any other family: not offered, or not there at all. */
export const otherFamilies: readonly Operation[] = [
  {
    method: 'get',
    path: '/transaction/{accountRegNo}/{family}/{direction}',
    tag: 'Other families',
    summary: 'Families that others exchange are not implemented; hyphens and case in the name of a family do not matter',
    params: Type.Object({
      ...AccountParams.properties,
      family: Type.Enum([...NOT_OFFERED]),
      direction: Type.Enum(['incoming', 'outgoing']),
    }),
    successes: {},
    errors: [400, 401, 404, 429, 500, 501, 503],
  },
];

function each(operations: (family: Family, direction: Direction, path: string) => Operation[]): Operation[] {
  return FAMILIES.flatMap((family) =>
    DIRECTIONS.flatMap((direction) => operations(family, direction, `/transaction/{accountRegNo}/${family.segment}/${direction}`)),
  );
}

function orNothing(success: SuccessResponse): Record<number, SuccessResponse> {
  return { 200: success, 204: NOTHING };
}

function listed(family: Family): SuccessResponse {
  const item = closed({ ...ListItem.properties, [family.name]: document });
  return {
    description: 'JSON: the page. XML: exactly one document, with its integrationId in the header.',
    content: {
      [MEDIA_TYPE.json]: Type.Object({ ...ListEnvelope.properties, data: Type.Array(item) }),
      [MEDIA_TYPE.xml]: xmlDocument(family),
    },
    headers: [HEADER.integrationId],
  };
}

function created(family: Family): SuccessResponse {
  const ids = Object.fromEntries(family.idKeys.map((key) => [key, Type.String({ description: "The document's own id." })]));
  const data = closed({ ...CreateEnvelope.properties.data.properties, ...ids });
  return {
    description: 'The document is stored. In XML the same data under the root element success.',
    content: {
      [MEDIA_TYPE.json]: Type.Object({ ...CreateEnvelope.properties, data }),
      [MEDIA_TYPE.xml]: Type.Object({ ...data.properties }, { xml: { name: 'success' } }),
    },
    headers: [HEADER.integrationId],
  };
}
