// Every error leaves in the one envelope of the specification, in JSON or XML.
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { errorAnswer } from '#contract/errors.ts';
import { acceptedNotation, HEADER, MEDIA_TYPE } from '#contract/headers.ts';
import { AppError, toAppError } from '#domain/error.ts';
import type { Log } from '#runtime/log.ts';
import { plainXml } from './plain-xml.ts';

export function createErrorHandler(log: Log, bodyMax: number) {
  return (thrown: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const error = thrown instanceof AppError ? thrown : fromFramework(thrown, bodyMax);
    const { status, body } = errorAnswer(error);
    if (status >= 500 && status !== 501)
      log.error({ event: 'core.request-failed', method: request.method, path: pathOf(request), err: error });
    // What is left of the body is not read.
    if (error.code === 'too-large') reply.header('connection', 'close');
    const { retryAfterSeconds } = error.facts;
    if (typeof retryAfterSeconds === 'number') reply.header(HEADER.retryAfter, String(retryAfterSeconds));
    const notation = acceptedNotation(request.headers.accept);
    const bytes = notation === 'xml' ? plainXml('error', body) : Buffer.from(JSON.stringify(body));
    reply.status(status).header('content-type', MEDIA_TYPE[notation]).send(Buffer.from(bytes));
  };
}

export function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] ?? '';
}

/** Fastify's own refusals, as ours. */
function fromFramework(thrown: unknown, bodyMax: number): AppError {
  if (!isFastifyError(thrown)) return toAppError(thrown);
  if (thrown.validation) return new AppError('bad-request', `The request is malformed: ${thrown.message}.`);
  if (thrown.code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return new AppError('too-large', `The body is larger than ${bodyMax} bytes.`, { facts: { maxBytes: bodyMax } });
  }
  if (thrown.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new AppError('bad-request', 'The Content-Type must be application/json or application/xml.');
  }
  const status = thrown.statusCode ?? 500;
  return status < 500 ? new AppError('bad-request', `The request is malformed: ${thrown.message}.`, { cause: thrown }) : toAppError(thrown);
}

function isFastifyError(thrown: unknown): thrown is FastifyError {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' && thrown.code.startsWith('FST_');
}
