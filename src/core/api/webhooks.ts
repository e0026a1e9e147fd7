// The webhook endpoints: of an account, of a partner, and of a partner for one of its children.
import Type from 'typebox';
import { Auth, AuthResponse, ConfigureRequest, ConfigureResponse, Subscription } from '#contract/webhooks.ts';
import { authorizeChild } from '#core/access/authenticate.ts';
import type { Rows } from '#core/ledger/schema.ts';
import type { Holder } from '#core/ledger/webhooks.ts';
import { shapeOfAuth } from '#core/webhooks/subscription-rules.ts';
import {
  configure,
  readAuth,
  readSubscription,
  removeAuth,
  removeSubscription,
  type SubscriptionParts,
  setAuth,
} from '#core/webhooks/subscriptions.ts';
import type { HttpServer } from '#runtime/http/server.ts';
import { ChildParams, PartnerParams } from './partners.ts';
import { AccountParams } from './query.ts';

interface RegNos {
  readonly accountRegNo?: string;
  readonly partnerRegNo?: string;
}

/** Parameters of a path that names a subscription, too. */
function named<Properties extends Type.TProperties>(properties: Properties) {
  return Type.Object({ ...properties, webhookId: Type.String({ format: 'uuid', description: 'The id of the subscription.' }) });
}

/** Where the endpoints are, and whose credentials they take. */
const HOLDER_ROUTES = [
  { path: '/account/:accountRegNo/webhook', access: 'account', params: AccountParams, named: named(AccountParams.properties) },
  { path: '/partner/:partnerRegNo/webhook', access: 'partner', params: PartnerParams, named: named(PartnerParams.properties) },
  {
    path: '/partner/:partnerRegNo/account/:accountRegNo/webhook',
    access: 'partner',
    params: ChildParams,
    named: named(ChildParams.properties),
  },
] as const;
type HolderRoute = (typeof HOLDER_ROUTES)[number];

const ERRORS = [400, 403, 404];

export function addWebhooks(server: HttpServer, parts: SubscriptionParts): void {
  for (const route of HOLDER_ROUTES) {
    addConfigure(server, parts, route);
    addAuth(server, parts, route);
  }
}

function addConfigure(server: HttpServer, parts: SubscriptionParts, { path, params, access }: HolderRoute): void {
  const holder = (given: RegNos): Promise<Holder> => holderOf(parts.ledger.read, given);
  const common = { tag: 'Webhook', params };
  const config = { access };
  const url = `${path}/configure`;

  const read = { ...common, summary: 'Read the webhook subscription', response: { 200: Subscription }, errors: ERRORS };
  server.get(url, { schema: read, config }, async ({ params }) => readSubscription(parts, await holder(params)));

  const summary = 'Create the webhook subscription, or change it; either enables it';
  const put = { ...common, summary, body: ConfigureRequest, response: { 200: ConfigureResponse }, errors: [400, 403, 422] };
  server.put(url, { schema: put, config }, async ({ params, body }) => configure(parts, await holder(params), body));

  const remove = { ...common, summary: 'Remove the webhook subscription', response: { 204: Type.Null() }, errors: ERRORS };
  server.delete(url, { schema: remove, config }, async ({ params }, reply) => {
    await removeSubscription(parts, await holder(params));
    return reply.status(204).send(null);
  });
}

function addAuth(server: HttpServer, parts: SubscriptionParts, { path, named: params, access }: HolderRoute): void {
  const holder = (given: RegNos): Promise<Holder> => holderOf(parts.ledger.read, given);
  const common = { tag: 'Webhook', params };
  const config = { access };
  const url = `${path}/:webhookId/auth`;

  const read = { ...common, summary: 'Read which outbound authentication is configured', response: { 200: AuthResponse }, errors: ERRORS };
  server.get(url, { schema: read, config }, async ({ params }) => readAuth(parts, await holder(params), params.webhookId));

  const summary = 'Configure the outbound authentication of deliveries; secrets are never returned';
  const post = { ...common, summary, body: Auth, response: { 200: AuthResponse }, errors: [...ERRORS, 422] };
  server.post(url, { schema: post, config, attachValidation: true }, async ({ params, body, validationError }) => {
    // A body that fits none of the three variants is explained by the variant that its type names.
    if (validationError) throw validationError.validationContext === 'body' ? shapeOfAuth(body) : validationError;
    return setAuth(parts, await holder(params), params.webhookId, body);
  });

  const remove = { ...common, summary: 'Remove the outbound authentication', response: { 204: Type.Null() }, errors: ERRORS };
  server.delete(url, { schema: remove, config }, async ({ params }, reply) => {
    await removeAuth(parts, await holder(params), params.webhookId);
    return reply.status(204).send(null);
  });
}

/** Throws `wrong-credentials` and `forbidden` for an account that is no child of the partner, or may not use the API. */
async function holderOf(rows: Rows, { accountRegNo, partnerRegNo }: RegNos): Promise<Holder> {
  if (partnerRegNo === undefined) return { scope: 'account', accountRegNo: accountRegNo ?? '' };
  if (accountRegNo === undefined) return { scope: 'partner', partnerRegNo };
  await authorizeChild(rows, partnerRegNo, accountRegNo);
  return { scope: 'child', partnerRegNo, accountRegNo };
}
