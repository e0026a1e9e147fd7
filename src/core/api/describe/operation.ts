// The description of one operation of the API: its request and its responses, as JSON schemas.
import type { RouteOptions } from 'fastify';

/** A JSON schema, as TypeBox builds them. */
export type Schema = object;

type Method = 'get' | 'post' | 'put' | 'delete';

export interface Operation {
  readonly method: Method;
  /** In OpenAPI's form: `/token/{accountRegNo}`. */
  readonly path: string;
  readonly summary: string;
  /** Heading under which it stands. */
  readonly tag: string;
  /** Object schemas whose properties are the parameters. */
  readonly params?: Schema;
  readonly query?: Schema;
  readonly headers?: Schema;
  /** By media type. */
  readonly body?: Readonly<Record<string, Schema>>;
  readonly bodyRequired?: boolean;
  /** Success, by status. */
  readonly successes: Readonly<Record<number, SuccessResponse>>;
  /** Statuses of the error envelope. */
  readonly errors: readonly number[];
  /** Asks for no credentials. */
  readonly open?: boolean;
}

export interface SuccessResponse {
  readonly description: string;
  /** By media type; empty when there is no body. */
  readonly content: Readonly<Record<string, Schema>>;
  /** Names of headers beside those on every response. */
  readonly headers?: readonly string[];
}

declare module 'fastify' {
  interface FastifySchema {
    /** For the description: what the route does, in one line. */
    summary?: string;
    tag?: string;
    /** Statuses of errors beside those that every route may answer. */
    errors?: readonly number[];
  }
  interface FastifyContextConfig {
    /** What the route stands for, when that is not itself: a route over a table of families is one operation per family. */
    operations?: readonly Operation[];
    /** Asks for no credentials. */
    open?: boolean;
  }
}

/** The heading of operations without a tag. */
export const SERVICE = 'Service';

/** Errors that every route may answer. */
const ALWAYS = [429, 500, 503];
const WITH_CREDENTIALS = [401];

/** The operations that a registered route stands for. */
export function operationsOf(route: RouteOptions): readonly Operation[] {
  if (route.config?.operations) return route.config.operations;
  const { schema = {}, config = {} } = route;
  const methods = [route.method].flat().map((method) => method.toLowerCase());
  const { body } = schema;
  return methods.filter(isMethod).map((method) => ({
    method,
    path: route.url.replace(/:(\w+)/g, '{$1}'),
    summary: schema.summary ?? '',
    tag: schema.tag ?? SERVICE,
    ...(isSchema(schema.params) ? { params: schema.params } : {}),
    ...(isSchema(schema.querystring) ? { query: schema.querystring } : {}),
    ...(isSchema(schema.headers) ? { headers: schema.headers } : {}),
    ...(isSchema(body) ? { body: { 'application/json': body }, bodyRequired: isRequired(body) } : {}),
    successes: successesOf(schema.response),
    errors: [...new Set([...(schema.errors ?? []), ...(config.open ? [] : WITH_CREDENTIALS), ...ALWAYS])].sort(),
    open: config.open === true,
  }));
}

/** Fastify's own forms: by status a schema, which is JSON, or schemas by media type. */
function successesOf(response: unknown): Record<number, SuccessResponse> {
  if (!isSchema(response)) return { 200: { description: 'Success', content: {} } };
  return Object.fromEntries(
    Object.entries(response).map(([status, schema]) => [
      status,
      { description: 'Success', content: status === '204' ? {} : contentOf(schema) },
    ]),
  );
}

function contentOf(schema: unknown): Readonly<Record<string, Schema>> {
  if (!isSchema(schema)) return {};
  if (!('content' in schema) || !isSchema(schema.content)) return { 'application/json': schema };
  const schemas = Object.entries(schema.content).map(([mediaType, entry]: [string, unknown]) => {
    return [mediaType, isSchema(entry) && 'schema' in entry && isSchema(entry.schema) ? entry.schema : {}] as const;
  });
  return Object.fromEntries(schemas);
}

/** The body of a JSON endpoint may be left out when nothing in it must be there. */
function isRequired(body: Schema): boolean {
  return 'required' in body && Array.isArray(body.required) && body.required.length > 0;
}

function isMethod(method: string): method is Method {
  return method === 'get' || method === 'post' || method === 'put' || method === 'delete';
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null;
}
