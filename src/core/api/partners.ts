// The partner endpoints: a partner's child accounts.
import Type from 'typebox';
import { AccountChange, AccountEnvelope, AccountsEnvelope, NewAccount } from '#contract/accounts.ts';
import { type ChildrenParts, createChild, findChild, listChildren, updateChild } from '#core/access/children.ts';
import { AppError } from '#domain/error.ts';
import type { HttpServer } from '#runtime/http/server.ts';
import { AccountParams } from './query.ts';

export const PartnerParams = Type.Object({ partnerRegNo: Type.String({ description: 'The number of the partner.' }) });
export const ChildParams = Type.Object({ ...PartnerParams.properties, ...AccountParams.properties });
const UserParams = Type.Object({ ...ChildParams.properties, email: Type.String() });

/** Children of one answer. */
const LIMIT_MAX = 1_000;
const wholeNumber = (description: string) => Type.Optional(Type.String({ pattern: '^\\d{1,9}$', description }));
const ChildrenQuery = Type.Object({
  limit: wholeNumber(`Accounts in one answer, 1 to ${LIMIT_MAX}; ${LIMIT_MAX} by default.`),
  offset: wholeNumber('Start index for paging; 0 by default.'),
});

export function addPartners(server: HttpServer, parts: ChildrenParts): void {
  const path = '/partner/:partnerRegNo/account';
  const config = { access: 'partner' } as const;
  const tag = 'Partner';
  const one = { 200: AccountEnvelope };

  const list = { tag, summary: 'List the child accounts', params: PartnerParams, querystring: ChildrenQuery };
  server.get(
    path,
    { schema: { ...list, response: { 200: AccountsEnvelope, 204: Type.Null() }, errors: [422] }, config },
    async (request, reply) => {
      const { limit = LIMIT_MAX, offset = 0 } = request.query;
      const page = { limit: Number(limit), offset: Number(offset) };
      if (page.limit < 1 || page.limit > LIMIT_MAX) throw new AppError('invalid', `limit must be between 1 and ${LIMIT_MAX}.`);
      const children = await listChildren(parts.ledger.read, request.params.partnerRegNo, page);
      return children.length === 0 ? reply.status(204).send(null) : enveloped(children);
    },
  );

  const create = { tag, summary: 'Create a child account', params: PartnerParams, body: NewAccount, response: one, errors: [409, 422] };
  server.post(path, { schema: create, config }, async (request) => {
    return enveloped(await createChild(parts, request.params.partnerRegNo, request.body));
  });

  const read = { tag, summary: 'Read a child account', params: ChildParams, response: { ...one, 204: Type.Null() } };
  server.get(`${path}/:accountRegNo`, { schema: read, config }, async (request, reply) => {
    const child = await findChild(parts.ledger.read, request.params.partnerRegNo, request.params.accountRegNo);
    // The specification lists no 404 here (decisions A1).
    return child ? enveloped(child) : reply.status(204).send(null);
  });

  const update = { tag, summary: 'Change a child account', params: ChildParams, body: AccountChange, response: one, errors: [404, 422] };
  server.put(`${path}/:accountRegNo`, { schema: update, config }, async (request) => {
    const { partnerRegNo, accountRegNo } = request.params;
    return enveloped(await updateChild(parts, partnerRegNo, accountRegNo, request.body));
  });

  for (const [url, params] of [
    [`${path}/:accountRegNo/user`, ChildParams],
    [`${path}/:accountRegNo/user/:email`, UserParams],
  ] as const) {
    server.get(
      url,
      { schema: { tag, summary: 'Users of a child account: not implemented', params, response: {}, errors: [501] }, config },
      async () => {
        throw new AppError('not-implemented', 'Users of accounts are not kept here.');
      },
    );
  }
}

/** Throws `missing` when it is no child of the partner. */
function enveloped<Child>(child: Child | undefined): { status: 'success'; data: Child } {
  if (child === undefined) throw new AppError('missing', 'There is no such child account.');
  return { status: 'success', data: child };
}
