// Adds routes whose bodies are plain JSON objects: parsed, and checked by their schemas without coercing any value.
import { TypeBoxValidatorCompiler } from '@fastify/type-provider-typebox';
import { AppError, type ErrorCode, toAppError } from '#domain/error.ts';
import { parseJson } from '#domain/json.ts';
import { compilingOnce } from '#runtime/http/compilers.ts';
import type { HttpServer } from '#runtime/http/server.ts';
import type { ErrorHandler } from './errors.ts';

const BODY_BYTES_MAX = 64 * 1024;

const bodyValidatorOf = compilingOnce(TypeBoxValidatorCompiler);

/** Changes the code of an error for a part of the API. */
type Recode = (error: AppError) => AppError;

const MALFORMED: ReadonlySet<ErrorCode> = new Set(['bad-request', 'usage', 'too-large']);

/** For endpoints for which the specification lists no 400: a malformed request is a 422 (decisions A2, A3). */
export const alwaysInvalid: Recode = (error) => (MALFORMED.has(error.code) ? asInvalid(error) : error);

/** A body that is no JSON is a 400; JSON that breaks the schema is a 422 (decisions A2, webhook error codes). */
export const invalidWhenReadable: Recode = (error) => (error.code === 'bad-request' && error.facts.details ? asInvalid(error) : error);

/** Adds routes to a part of the server where bodies are JSON, by default of 64 KiB at the most; an absent body is an empty object. */
export function addJsonRoutes(
  server: HttpServer,
  answerError: ErrorHandler,
  recode: Recode,
  add: (part: HttpServer) => void,
  bodyMax = BODY_BYTES_MAX,
): void {
  server.register((plain, _options, done) => {
    const part: HttpServer = plain.withTypeProvider();
    part.addHook('onRoute', (route) => {
      route.bodyLimit = bodyMax;
    });
    part.removeAllContentTypeParsers();
    part.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, parsed) => {
      try {
        parsed(null, body.length === 0 ? undefined : parseJson(decoded(Buffer.from(body))));
      } catch (error) {
        parsed(toAppError(error));
      }
    });
    part.setValidatorCompiler(bodyValidatorOf);
    part.addHook('preValidation', (request, _reply, next) => {
      if (request.method !== 'GET') request.body ??= {};
      next();
    });
    part.setErrorHandler((error, request, reply) => answerError(error, request, reply, recode));
    add(part);
    done();
  });
}

function decoded(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch (error) {
    throw new AppError('bad-request', 'The body is not in UTF-8.', { cause: error });
  }
}

function asInvalid(error: AppError): AppError {
  return new AppError('invalid', error.message, { cause: error, facts: error.facts });
}
