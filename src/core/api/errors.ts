// Writes every error in the one envelope of the specification, in JSON or XML.
import { STATUS_CODES } from 'node:http';
import type { FastifyError, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import { errorAnswer } from '#contract/errors.ts';
import { acceptedNotation, HEADER, MEDIA_TYPE } from '#contract/headers.ts';
import { sentencesOf } from '#contract/sentences.ts';
import type { RateLimit } from '#core/access/rate-limit.ts';
import { fatal } from '#domain/document.ts';
import { AppError, toAppError } from '#domain/error.ts';
import type { LogLines } from '#runtime/log-throttle.ts';
import { type AccessControl, budgetError, budgetHeaders } from './access-control.ts';
import { plainXml } from './plain-xml.ts';

/** `recode` lets a part of the API change the error's code. */
export type ErrorHandler = (
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  recode?: (error: AppError) => AppError,
) => Promise<FastifyReply>;

export function createErrorHandler(lines: LogLines, accessControl: AccessControl): ErrorHandler {
  return async (thrown, request, reply, recode = (error) => error) => {
    let error = recode(thrown instanceof AppError ? thrown : fromFramework(thrown, request));
    // A request that failed before it was charged to an account is charged to its address.
    if (!reply.hasHeader(HEADER.ratePolicy)) error = budgetError(await accessControl.chargeAddress(request, reply)) ?? error;
    const { status, body } = errorAnswer(error);
    if (status >= 500 && status !== 501)
      lines.error({ event: 'core.request-failed', method: request.method, path: pathOf(request), address: request.ip, err: error });
    const { retryAfterSeconds } = error.facts;
    if (typeof retryAfterSeconds === 'number') reply.header(HEADER.retryAfter, String(retryAfterSeconds));
    const notation = acceptedNotation(request.headers.accept);
    const bytes = notation === 'xml' ? plainXml('error', body) : Buffer.from(JSON.stringify(body));
    return reply.status(status).header('content-type', MEDIA_TYPE[notation]).send(Buffer.from(bytes));
  };
}

/** Writes the raw response to a request that was malformed as HTTP or came too slowly: Fastify has no reply for it. */
export function createClientErrorHandler(limits: Pick<RateLimit, 'address'>) {
  return async (address: string): Promise<string> => {
    const budget = await limits.address(address);
    const error = budgetError(budget) ?? new AppError('bad-request', 'The request is malformed, too long in its head, or came too slowly.');
    const { status, body } = errorAnswer(error);
    const text = JSON.stringify(body);
    const headers = {
      ...budgetHeaders(budget),
      ...(budget.spent && { [HEADER.retryAfter]: String(budget.resetSeconds) }),
      'content-type': MEDIA_TYPE.json,
      'content-length': String(Buffer.byteLength(text)),
      connection: 'close',
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${text}`;
  };
}

export function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] ?? '';
}

/** Fastify's own errors as AppErrors. */
function fromFramework(thrown: unknown, request: FastifyRequest): AppError {
  const { bodyLimit: bodyMax } = request.routeOptions;
  if (isCut(request)) return new AppError('bad-request', 'The connection ended before the request did.');
  if (!isFastifyError(thrown)) return toAppError(thrown);
  if (thrown.validation) return malformed(thrown, request);
  if (thrown.code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return new AppError('too-large', `The body is larger than ${bodyMax} bytes.`, { facts: { maxBytes: bodyMax } });
  }
  if (thrown.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new AppError('bad-request', 'The Content-Type must be application/json or application/xml.');
  }
  const status = thrown.statusCode ?? 500;
  return status < 500 ? new AppError('bad-request', `The request is malformed: ${thrown.message}.`, { cause: thrown }) : toAppError(thrown);
}

function isCut({ raw: { destroyed, complete } }: FastifyRequest): boolean {
  return destroyed && !complete;
}

/** The schema errors of a part of the request; those of a body also as findings, so that `recode` may make them `invalid`. */
function malformed({ validation = [], validationContext = 'body' }: FastifyError, request: FastifyRequest): AppError {
  const { schema = {} } = request.routeOptions;
  const sentences = sentencesOf(partOf(schema, validationContext), validation);
  const sentence = `The request is malformed: ${sentences.map((each) => each.sentence).join(' ')}`;
  if (validationContext !== 'body') return new AppError('bad-request', sentence);
  const details = sentences.map(({ keyword, pointer, sentence: message }) => fatal(keyword, message, pointer));
  return new AppError('bad-request', sentence, { facts: { details } });
}

function partOf(schema: FastifySchema, context: string): unknown {
  return Object.entries(schema).find(([part]) => part === context)?.[1];
}

function isFastifyError(thrown: unknown): thrown is FastifyError {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' && thrown.code.startsWith('FST_');
}
