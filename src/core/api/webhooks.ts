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

const TAG = 'Webhook';

interface RegNos {
  readonly accountRegNo?: string;
  readonly partnerRegNo?: string;
}

const WebhookId = { webhookId: Type.String({ format: 'uuid', description: 'The id of the subscription.' }) };

/** Where the endpoints are, and whose credentials they take. */
const HOLDER_ROUTES = [
  {
    path: '/account/:accountRegNo/webhook',
    access: 'account',
    params: AccountParams,
    named: Type.Object({ ...AccountParams.properties, ...WebhookId }),
  },
  {
    path: '/partner/:partnerRegNo/webhook',
    access: 'partner',
    params: PartnerParams,
    named: Type.Object({ ...PartnerParams.properties, ...WebhookId }),
  },
  {
    path: '/partner/:partnerRegNo/account/:accountRegNo/webhook',
    access: 'partner',
    params: ChildParams,
    named: Type.Object({ ...ChildParams.properties, ...WebhookId }),
  },
] as const;
type HolderRoute = (typeof HOLDER_ROUTES)[number];

export function addWebhooks(server: HttpServer, parts: SubscriptionParts): void {
  for (const route of HOLDER_ROUTES) {
    const { path, params, access } = route;
    const common = { tag: TAG, params };
    const config = { access };
    const errors = [400, 403, 404];
    const url = `${path}/configure`;

    const read = { ...common, summary: 'Read the webhook subscription', response: { 200: Subscription }, errors };
    server.get(url, { schema: read, config }, async ({ params }) => readSubscription(parts, await holderOf(parts.ledger.read, params)));

    const summary = 'Create the webhook subscription, or change it; either enables it';
    const put = { ...common, summary, body: ConfigureRequest, response: { 200: ConfigureResponse }, errors: [400, 403, 422] };
    server.put(url, { schema: put, config }, async ({ params, body }) => configure(parts, await holderOf(parts.ledger.read, params), body));

    const remove = { ...common, summary: 'Remove the webhook subscription', response: { 204: Type.Null() }, errors };
    server.delete(url, { schema: remove, config }, async ({ params }, reply) => {
      await removeSubscription(parts, await holderOf(parts.ledger.read, params));
      return reply.status(204).send(null);
    });
    addAuth(server, parts, route);
  }
}

function addAuth(server: HttpServer, parts: SubscriptionParts, { path, named, access }: HolderRoute): void {
  const common = { tag: TAG, params: named };
  const config = { access };
  const errors = [400, 403, 404];
  const url = `${path}/:webhookId/auth`;

  const read = { ...common, summary: 'Read which outbound authentication is configured', response: { 200: AuthResponse }, errors };
  server.get(url, { schema: read, config }, async ({ params }) => {
    return readAuth(parts, await holderOf(parts.ledger.read, params), params.webhookId);
  });

  const summary = 'Configure the outbound authentication of deliveries; secrets are never returned';
  const post = { ...common, summary, body: Auth, response: { 200: AuthResponse }, errors: [...errors, 422] };
  server.post(url, { schema: post, config, attachValidation: true }, async ({ params, body, validationError }) => {
    // A body that fits none of the three variants is explained by the variant that its type names.
    if (validationError) throw validationError.validationContext === 'body' ? shapeOfAuth(body) : validationError;
    return setAuth(parts, await holderOf(parts.ledger.read, params), params.webhookId, body);
  });

  const remove = { ...common, summary: 'Remove the outbound authentication', response: { 204: Type.Null() }, errors };
  server.delete(url, { schema: remove, config }, async ({ params }, reply) => {
    await removeAuth(parts, await holderOf(parts.ledger.read, params), params.webhookId);
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
