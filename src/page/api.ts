// The API of operators: the same operations as JSON, each a POST by the name and password of an operator. No cookie opens it, so that there is nothing that
// another site could have a browser send along.
import { AppError, type ErrorCode, toAppError } from '#domain/error.ts';
import { parseJson } from '#domain/json.ts';
import type { OperatorRow } from '#gateway/ledger/operators.ts';
import { OPERATIONS } from '#operations/table.ts';
import { BASE64_CHARACTERS_MAX } from '#operations/validate.ts';
import type { HttpReply, HttpRequest, HttpServer } from '#runtime/http/server.ts';
import type { Log } from '#runtime/log.ts';
import { plainAddress } from '#runtime/networks.ts';
import type { Gate } from './gate.ts';
import { isOffered } from './offered.ts';
import { openApi } from './openapi.ts';
import { HEADERS, mustMayAct, type RunOperation, refuseForeign, STATUS } from './requests.ts';

/** A document to validate is the longest of what is said; and what stands around it. */
const BODY_BYTES_MAX = BASE64_CHARACTERS_MAX + 64 * 1_024;

interface ApiParts {
  readonly gate: Gate;
  readonly run: RunOperation;
  readonly log: Log;
  readonly isTls: boolean;
}

/** Adds the API below `/api/`. */
export async function addApi(server: HttpServer, { gate, run, log, isTls }: ApiParts): Promise<void> {
  /** Who asks. */
  const operators = new WeakMap<HttpRequest, OperatorRow>();
  await server.register((api, _options, done) => {
    // Before a body is read.
    api.addHook('onRequest', async (request, reply) => {
      void reply.headers(HEADERS);
      refuseForeign(request, isTls);
      operators.set(request, await operatorOf(gate, request));
    });
    api.setErrorHandler((error, _request, reply) => sayFailed(error, reply, log));
    api.get('/api/openapi.json', openApi);
    api.post<{ Params: { operation: string } }>('/api/:operation', { bodyLimit: BODY_BYTES_MAX }, async (request) => {
      const { operator, role } = mustBe(operators.get(request));
      const { operation: name } = request.params;
      if (!isOffered(name)) throw new AppError('missing', `There is no operation ${name} here: /api/openapi.json describes all.`);
      if (OPERATIONS[name].kind === 'acts') mustMayAct(role);
      return run(name, inputOf(request), `${operator} by the API, from ${plainAddress(request.ip)}`);
    });
    done();
  });
}

function mustBe(operator: OperatorRow | undefined): OperatorRow {
  if (operator) return operator;
  throw new AppError('unauthenticated', ASK);
}

const ASK = 'Send the name and password of an operator (HTTP Basic).';
const BASIC = /^Basic ([A-Za-z0-9+/]+={0,2})$/i;

/** Throws `unauthenticated`, `wrong-credentials`, and `rate-limited` for an address that has guessed. */
async function operatorOf(gate: Gate, { headers, ip }: HttpRequest): Promise<OperatorRow> {
  const [, given] = BASIC.exec(headers.authorization ?? '') ?? [];
  // No browser is told to ask for it: it would send it along with everything that comes after.
  if (given === undefined) throw new AppError('unauthenticated', ASK);
  const [operator = '', ...rest] = Buffer.from(given, 'base64').toString().split(':');
  // A code opens once: a program that asks twice in half a minute could not have one each time.
  const row = await gate.verified(plainAddress(ip), operator, rest.join(':'), null);
  if (typeof row !== 'string') return row;
  if (row === 'banned') throw new AppError('rate-limited', 'Too many attempts from this address. Try again in a few minutes.');
  throw new AppError(
    'wrong-credentials',
    'The operator or the password is wrong, or a code is asked of the operator, which the API does not take.',
  );
}

/** Without a body there is nothing to say. Throws `bad-request`. */
function inputOf({ body }: HttpRequest): unknown {
  return Buffer.isBuffer(body) && body.length > 0 ? parseJson(body.toString()) : {};
}

/** What Fastify refuses by itself. */
const CODES: Readonly<Record<number, ErrorCode>> = { 413: 'too-large' };

function sayFailed(error: unknown, reply: HttpReply, log: Log): HttpReply {
  const given = error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : undefined;
  if (given !== undefined && given < 500)
    return reply.status(given).send({ code: CODES[given] ?? 'bad-request', message: 'The request cannot be read.' });
  const { code, message, cause } = toAppError(error);
  const status = STATUS[code] ?? 500;
  if (status >= 500) log.error({ event: 'admin.failed', err: cause ?? error });
  return reply.status(status).send({ code, message });
}
