// The description of the API: OpenAPI 3.1, put together from the table of operations and the forms that check their inputs.
import { OPERATIONS, type OperationName, sentenceOf } from '#operations/table.ts';
import { VERSION } from '#runtime/version.ts';
import { OFFERED } from './offered.ts';

const DESCRIPTION =
  'The operations of Dropgate, as its commands and the page have them. Each is one POST with its input as JSON, by the name and password of an operator ' +
  '(HTTP Basic). Moments are ISO 8601 in UTC. What hands out or acts is written down in the audit trail.';

const ERROR = {
  type: 'object',
  required: ['code', 'message'],
  properties: {
    code: { type: 'string', description: 'For programs to decide on.' },
    message: { type: 'string', description: 'A sentence for people.' },
  },
} as const;

/** Answers that are errors, whatever is asked. */
const ERRORS: Readonly<Record<number, string>> = {
  400: 'The input has another form, or cannot be done here.',
  401: 'No operator, or a wrong password.',
  403: 'The operator may only look; what is asked must not be done; or a browser asks for another site.',
  404: 'What is named is not there.',
  409: 'What is to be made is there already, or is being worked on.',
  413: 'The body is too large.',
  415: 'The body is no JSON by its content type.',
  422: 'What is said breaks a rule.',
  429: 'Too many wrong passwords came from this address.',
  500: 'It failed inside.',
  503: 'The daemon is stopping, or a part of it is away.',
};

const FOR_WHOM = {
  looks: 'For every operator.',
  'hands-out': 'For every operator; written down in the audit trail.',
  acts: 'For operators who may act; written down in the audit trail.',
} as const;

export async function openApi(): Promise<object> {
  const paths = await Promise.all(OFFERED.map(async (name) => [`/api/${name}`, { post: await described(name) }] as const));
  return {
    openapi: '3.1.0',
    info: { title: 'Dropgate for operators', version: VERSION, description: DESCRIPTION },
    servers: [{ url: '/' }],
    security: [{ Operator: [] }],
    tags: [...new Set(OFFERED.map(tagOf))].map((name) => ({ name })),
    paths: Object.fromEntries(paths),
    components: {
      securitySchemes: { Operator: { type: 'http', scheme: 'basic', description: 'Name and password of an operator.' } },
      schemas: { Error: ERROR },
      responses: Object.fromEntries(
        Object.entries(ERRORS).map(([status, description]) => [
          `Error${status}`,
          { description, content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } },
        ]),
      ),
    },
  };
}

async function described(name: OperationName): Promise<object> {
  const { kind, load } = OPERATIONS[name];
  const { input, answer } = await load();
  const errors = Object.keys(ERRORS).map((status) => [status, { $ref: `#/components/responses/Error${status}` }]);
  return {
    tags: [tagOf(name)],
    operationId: name,
    summary: sentenceOf(name),
    description: FOR_WHOM[kind],
    requestBody: { required: 'required' in input, content: { 'application/json': { schema: input } } },
    responses: { 200: { description: 'It is done.', content: { 'application/json': { schema: answer } } }, ...Object.fromEntries(errors) },
  };
}

/** `account` of `account.show`. */
function tagOf(name: OperationName): string {
  return name.split('.', 1)[0] ?? name;
}
