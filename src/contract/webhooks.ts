// Webhooks as data: subscriptions, outbound authentication, and the events that are delivered; for server and client alike.

import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { EVENT_TYPES } from '#domain/event.ts';
import { parsedJson } from '#domain/json.ts';
import { closed } from './closed.ts';

export const AUTH_TYPES = ['oauth', 'api_key', 'basic'] as const;
export type AuthType = (typeof AUTH_TYPES)[number];

/** Seconds (specification, Limits). */
export const DELIVERY_TIMEOUT_S = 10;

export const WEBHOOK_HEADER = { id: 'webhook-id', timestamp: 'webhook-timestamp', signature: 'webhook-signature' } as const;

const URL_CHARACTERS_MAX = 2_048;
/** Specification, Webhook outbound authentication. */
export const API_KEY_HEADER = 'X-API-Key';
export const BASIC_PASSWORD_CHARACTERS_MIN = 16;

const httpsUrl = (description: string) => Type.String({ maxLength: URL_CHARACTERS_MAX, description });
const secret = (description: string) => Type.String({ minLength: 1, maxLength: 4_096, description });

/** What is sent beside these is ignored, so that a subscription that was read can be sent back. */
export const ConfigureRequest = Type.Object({
  url: httpsUrl('Where events are sent: an https address without user information.'),
  types: Type.Optional(
    Type.Array(Type.Enum([...EVENT_TYPES]), {
      minItems: 1,
      maxItems: 100,
      description: 'Events to be told of; both when it is left out at first, unchanged when it is left out later.',
    }),
  ),
});
export type ConfigureRequest = Type.Static<typeof ConfigureRequest>;

const Configured = {
  id: Type.String({ format: 'uuid' }),
  url: Type.String(),
  types: Type.Array(Type.Enum([...EVENT_TYPES])),
  accountRegNo: Type.String({ description: 'The account, or the partner of a subscription of its own.' }),
};

export const ConfigureResponse = Type.Object(Configured);
export type ConfigureResponse = Type.Static<typeof ConfigureResponse>;

export const Subscription = Type.Object({
  ...Configured,
  enabled: Type.Boolean({ description: 'False after a 410, or after five days without any success; a PUT makes it true again.' }),
  authType: Type.Union([Type.Enum([...AUTH_TYPES]), Type.Null()]),
  createdAt: Type.String({ format: 'date-time' }),
  updatedAt: Type.String({ format: 'date-time' }),
});
export type Subscription = Type.Static<typeof Subscription>;

const OauthAuth = closed({
  type: Type.Literal('oauth'),
  tokenUrl: httpsUrl('Where a Bearer token is fetched by client credentials.'),
  clientId: secret('The client.'),
  clientSecret: secret('Its secret.'),
});
const ApiKeyAuth = closed({
  type: Type.Literal('api_key'),
  header: Type.Optional(
    Type.String({
      default: API_KEY_HEADER,
      minLength: 1,
      maxLength: 100,
      pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$",
      description: 'The name of a request header.',
    }),
  ),
  value: Type.String({
    minLength: 1,
    maxLength: 4_096,
    pattern: '^[\\x21-\\x7e](?:[\\x20-\\x7e]*[\\x21-\\x7e])?$',
    description: 'What the header holds: printable ASCII, without spaces at its ends.',
  }),
});
const BasicAuth = closed({
  type: Type.Literal('basic'),
  username: Type.String({
    minLength: 1,
    maxLength: 255,
    pattern: '^[^:\\x00-\\x1f\\x7f]+$',
    description: 'Without colons and control characters.',
  }),
  password: Type.String({
    maxLength: 255,
    description: 'At least 16 characters, with an uppercase letter, a lowercase letter, a digit and a special character.',
  }),
});

/** Exactly one of them. */
export const AUTH_VARIANTS = { oauth: OauthAuth, api_key: ApiKeyAuth, basic: BasicAuth } as const satisfies Record<AuthType, object>;
export const Auth = Type.Union([OauthAuth, ApiKeyAuth, BasicAuth]);
export type Auth = Type.Static<typeof Auth>;

/** Secrets are never returned. */
export const AuthResponse = closed({ type: Type.Enum([...AUTH_TYPES]) });
export type AuthResponse = Type.Static<typeof AuthResponse>;

/** The body of a delivery: what happened to which message, never the document itself (decisions A2). */
export const WebhookEvent = Type.Object({
  id: Type.String({ description: 'The same on every try; the header webhook-id repeats it.' }),
  type: Type.Enum([...EVENT_TYPES]),
  timestamp: Type.String({ format: 'date-time' }),
  accountRegNo: Type.String(),
  data: Type.Object({
    integrationId: Type.String(),
    documentType: Type.String(),
    documentId: Type.String(),
    direction: Type.Enum(['incoming', 'outgoing']),
    status: Type.String(),
    previousStatus: Type.Optional(Type.String()),
    statusAt: Type.Optional(Type.String({ format: 'date-time' })),
    createdAt: Type.String({ format: 'date-time' }),
    updatedAt: Type.String({ format: 'date-time' }),
    href: Type.String({ description: 'Path of the message in the API.' }),
  }),
});
export type WebhookEvent = Type.Static<typeof WebhookEvent>;

/** `/account/{accountRegNo}/webhook/` and what stands behind it. */
export function webhookPath(accountRegNo: string, rest: string): string {
  return `/account/${encodeURIComponent(accountRegNo)}/webhook/${rest}`;
}

/** What a client relies on in a subscription; a service may tell more, or less. */
const KnownSubscription = Type.Object({
  id: Type.String({ pattern: '^[\\w-]{1,100}$' }),
  url: Type.String(),
  enabled: Type.Optional(Type.Boolean()),
  authType: Type.Optional(Type.Union([Type.String(), Type.Null()])),
});
export type KnownSubscription = Type.Static<typeof KnownSubscription>;

const subscriptionCheck = Compile(KnownSubscription);

/** Reads a subscription; undefined when the body is none. */
export function parseSubscription(body: Uint8Array): KnownSubscription | undefined {
  const parsed = parsedJson(body);
  return subscriptionCheck.Check(parsed) ? parsed : undefined;
}
