// The API description: OpenAPI 3.1, put together from the operations and the schemas that check the requests.
import { HEADER, MEDIA_TYPE } from '#contract/headers.ts';
import { ERRORS } from './errors.ts';
import type { Operation, Schema, SuccessResponse } from './operation.ts';

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description: string;
  readonly schema: Schema;
}

const DESCRIPTION =
  'Sends and receives business documents. Every transaction endpoint takes and returns JSON (the default) or XML; bodies follow UBL 2.1. ' +
  'Hyphens and case in the name of a family do not matter. Every error has the one envelope; branch on its type.';

/** The version is that of the specification (Versioning). */
export const INFO = { title: 'Document exchange service', version: '1.0.0', description: DESCRIPTION } as const;

const SECURITY_SCHEMES = {
  ApiKey: { type: 'apiKey', in: 'header', name: 'Authorization', description: '`Authorization: ApiKey KEY`' },
  Token: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'A token of the token endpoints; valid for 3600 seconds.' },
};

/** Headers by their names in the description. */
const HEADERS: Readonly<Record<string, { readonly description: string; readonly schema: Schema }>> = {
  [HEADER.rateLimit]: { description: 'Requests allowed in the window.', schema: { type: 'integer' } },
  [HEADER.rateRemaining]: { description: 'Requests left.', schema: { type: 'integer' } },
  [HEADER.rateReset]: { description: 'Seconds until the window resets.', schema: { type: 'integer' } },
  [HEADER.ratePolicy]: { description: 'The policy in force.', schema: { type: 'string', pattern: '^\\d+;w=\\d+$' } },
  [HEADER.retryAfter]: { description: 'Wait at least this many seconds.', schema: { type: 'integer' } },
  [HEADER.integrationId]: { description: 'The integrationId of the message.', schema: { type: 'string', format: 'uuid' } },
};
const ON_EVERY_RESPONSE = [HEADER.rateLimit, HEADER.rateRemaining, HEADER.rateReset, HEADER.ratePolicy];

export function openApi(operations: readonly Operation[]): object {
  const shared = createSharedParameters();
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations) {
    const path = paths[operation.path] ?? {};
    path[operation.method] = operationObject(operation, shared.refer);
    paths[operation.path] = path;
  }
  return {
    openapi: '3.1.0',
    info: INFO,
    servers: [{ url: '/' }],
    security: Object.keys(SECURITY_SCHEMES).map((name) => ({ [name]: [] })),
    tags: [...new Set(operations.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      parameters: Object.fromEntries(shared.parameters),
      headers: HEADERS,
      responses: Object.fromEntries([...ERRORS.keys()].map((status) => [`Error${status}`, errorResponse(status)])),
      schemas: Object.fromEntries([...ERRORS].map(([status, { schema }]) => [`Error${status}`, schema])),
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

function operationObject(operation: Operation, refer: (parameter: Parameter) => object): object {
  const successes = Object.entries(operation.successes).map(([status, response]) => [status, successResponse(response)] as const);
  const errors = operation.errors.map((status) => [String(status), { $ref: `#/components/responses/Error${status}` }] as const);
  return {
    tags: [operation.tag],
    summary: operation.summary,
    operationId: `${operation.method} ${operation.path}`.replace(/[^A-Za-z0-9]+/g, '-').replace(/-$/, ''),
    parameters: parametersOf(operation).map(refer),
    ...(operation.body && { requestBody: requestBodyOf(operation) }),
    responses: Object.fromEntries([...successes, ...errors]),
    ...(operation.open ? { security: [] } : {}),
  };
}

export function parametersOf({ params, query, headers }: Operation): Parameter[] {
  return [...parametersIn('path', params), ...parametersIn('query', query), ...parametersIn('header', headers)];
}

export function requestBodyOf({ body = {}, bodyRequired }: Operation): object {
  return { required: bodyRequired === true, content: contentOf(body) };
}

function parametersIn(location: Parameter['in'], schema: Schema | undefined): Parameter[] {
  const { properties, required } = objectSchema(schema);
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: location,
    // What has a default may be left out.
    required: location === 'path' || (required.has(name) && !('default' in property)),
    description: 'description' in property && typeof property.description === 'string' ? property.description : '',
    schema: property,
  }));
}

function objectSchema(schema: Schema | undefined): { properties: Record<string, Schema>; required: ReadonlySet<unknown> } {
  const properties: Record<string, Schema> = {};
  if (schema && 'properties' in schema && typeof schema.properties === 'object') {
    for (const [name, property] of Object.entries(schema.properties ?? {})) if (typeof property === 'object') properties[name] = property;
  }
  return { properties, required: new Set(schema && 'required' in schema && Array.isArray(schema.required) ? schema.required : []) };
}

/** Parameters that many operations have stand once, and are referred to. */
function createSharedParameters() {
  const parameters = new Map<string, Parameter>();
  return {
    parameters,
    refer(parameter: Parameter): object {
      const { name } = parameter;
      const known = parameters.get(name) ?? parameter;
      if (JSON.stringify(known) !== JSON.stringify(parameter)) return parameter;
      parameters.set(name, known);
      return { $ref: `#/components/parameters/${name}` };
    },
  };
}

function successResponse({ description, content, headers = [] }: SuccessResponse): object {
  return { description, headers: headersOf([...ON_EVERY_RESPONSE, ...headers]), content: contentOf(content) };
}

function errorResponse(status: number): object {
  const content = { [MEDIA_TYPE.json]: { $ref: `#/components/schemas/Error${status}` }, [MEDIA_TYPE.xml]: { xml: { name: 'error' } } };
  return {
    description: ERRORS.get(status)?.description ?? '',
    headers: headersOf(status === 429 || status === 503 ? [...ON_EVERY_RESPONSE, HEADER.retryAfter] : ON_EVERY_RESPONSE),
    content: contentOf(content),
  };
}

function headersOf(names: readonly string[]): object {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

export function contentOf(content: Readonly<Record<string, Schema>>): object {
  return Object.fromEntries(Object.entries(content).map(([mediaType, schema]) => [mediaType, { schema }]));
}
