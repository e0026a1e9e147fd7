// What stands around requests to the page: headers of each answer, whence a request may come, its fields, and how an error is answered.
import { AppError, type ErrorCode } from '#domain/error.ts';
import { unstorable } from '#domain/json.ts';
import type { OperatorRole } from '#gateway/model/operator.ts';
import type { OperationName } from '#operations/table.ts';
import type { HttpReply, HttpRequest } from '#runtime/http/server.ts';
import { isLoopback } from '#runtime/networks.ts';

/** Has an operation run in the name of somebody. */
export type RunOperation = (name: OperationName, input: unknown, who: string) => Promise<unknown>;

/** No script runs at all, nothing is loaded from elsewhere, nobody may frame it, and no cache keeps it. */
export const HEADERS = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'",
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  // `no-referrer` would have browsers send no Origin with forms.
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;

/** Browsers keep it from every way but HTTPS, and from scripts and other sites. */
export function cookieName(isTls: boolean): string {
  return isTls ? '__Host-dropgate' : 'dropgate';
}

/**
 * Throws `forbidden` for a request that another site has a browser make: by a name of its own that it has led to this machine (DNS rebinding), or by a
 * form or script of its own.
 */
export function refuseForeign({ headers, method }: HttpRequest, isTls: boolean): void {
  const own = `${isTls ? 'https' : 'http'}://${headers.host ?? ''}`;
  const host = URL.canParse(own) ? new URL(own).hostname.replace(/^\[|\]$/g, '') : '';
  if (!isTls && !isLoopback(host))
    throw new AppError(
      'forbidden',
      'Over plain HTTP the page is shown as 127.0.0.1 or localhost only: come by an SSH tunnel, or set admin.tls.',
    );
  if (method === 'GET') return;
  const { origin } = headers;
  const site = headers['sec-fetch-site'];
  if ((origin !== undefined && origin !== own) || (site !== undefined && site !== 'same-origin'))
    throw new AppError('forbidden', 'The request comes from another site.');
}

/** Throws `bad-request` for what no ledger keeps. */
export function fieldsOf({ body }: HttpRequest): URLSearchParams {
  const fields = new URLSearchParams(Buffer.isBuffer(body) ? body.toString() : '');
  for (const [name, value] of fields)
    if (unstorable(value) !== undefined) throw new AppError('bad-request', `The field ${name} holds a character that cannot be kept.`);
  return fields;
}

/** Throws `forbidden` for an operator who may only look. */
export function mustMayAct(role: OperatorRole): void {
  if (role !== 'act')
    throw new AppError('forbidden', 'You may look, and not act: an administrator can change that by `dropgate operator set`.');
}

/** As they came in the address. */
export function queryOf({ url }: HttpRequest): URLSearchParams {
  return new URL(url, 'http://localhost').searchParams;
}

export const STATUS: Readonly<Partial<Record<ErrorCode, number>>> = {
  usage: 400,
  'bad-request': 400,
  name: 400,
  unauthenticated: 401,
  'wrong-credentials': 401,
  forbidden: 403,
  missing: 404,
  exists: 409,
  duplicate: 409,
  'in-flight': 409,
  'too-large': 413,
  invalid: 422,
  unreadable: 422,
  'rate-limited': 429,
  quota: 409,
  locked: 503,
};

/** Has the browser store a file. Its name is text that somebody chose: no path, no hidden name, and percent-encoded. */
export function sendFile(reply: HttpReply, fileName: string, bytes: Buffer): HttpReply {
  const plain = fileName.toWellFormed().replaceAll(/[/\\]/g, '_').replace(/^\.+/, '_');
  const name = encodeURIComponent(plain).replaceAll(/['()*]/g, (each) => `%${each.charCodeAt(0).toString(16)}`);
  return reply
    .header('content-disposition', `attachment; filename="document"; filename*=UTF-8''${name}`)
    .type('application/octet-stream')
    .send(bytes);
}
