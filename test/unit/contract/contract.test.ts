import { describe, expect, it } from 'vitest';
import { createEnvelope, parseList } from '#contract/envelopes.ts';
import { errorAnswer, parseErrorEnvelope } from '#contract/errors.ts';
import { acceptedNotation, IDEMPOTENCY_KEY, notationOf } from '#contract/headers.ts';
import { endpointOf, isNotOffered, transactionPath } from '#contract/routes.ts';
import { AppError } from '#domain/error.ts';
import { familyNamed } from '#domain/family.ts';

const json = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

describe('routes', () => {
  it('S007 S140 builds paths relative to the base, with the account in each', () => {
    const invoice = familyNamed('Invoice');
    expect(transactionPath('acme', invoice, 'outgoing', 'list')).toBe('/transaction/acme/invoices/outgoing');
    expect(transactionPath('acme', invoice, 'incoming', 'read', { limit: 1, integrationId: 'a b' })).toBe(
      '/transaction/acme/invoices/incoming/readinvoices?limit=1&integrationId=a+b',
    );
    expect(transactionPath('a/b', familyNamed('DespatchAdvice'), 'incoming', 'status')).toBe(
      '/transaction/a%2Fb/despatch-advices/incoming/status',
    );
  });

  it('S324 has no version segment', () => {
    expect(transactionPath('acme', familyNamed('Order'), 'incoming', 'list')).not.toMatch(/\/v\d/);
  });

  it('knows the last segment whatever its spelling', () => {
    const response = familyNamed('OrderResponse');
    expect(endpointOf(response, 'readOrderResponses')).toBe('read');
    expect(endpointOf(response, 'read-order-responses')).toBe('read');
    expect(endpointOf(response, 'status')).toBe('status');
    expect(endpointOf(response, 'readorders')).toBeUndefined();
    expect(isNotOffered('order-agreements')).toBe(true);
    expect(isNotOffered('orders')).toBe(false);
  });
});

describe('headers', () => {
  it.each([
    [undefined, 'json'],
    ['*/*', 'json'],
    ['text/html', 'json'],
    ['application/xml', 'xml'],
    ['text/xml; charset=utf-8', 'xml'],
    ['application/json;q=0.5, application/xml', 'xml'],
    ['application/xml;q=0.2, application/json;q=0.9', 'json'],
  ])('accepts %s as %s', (accept, notation) => {
    expect(acceptedNotation(accept)).toBe(notation);
  });

  it('takes JSON and XML, and nothing else, as content', () => {
    expect(notationOf('Application/JSON; charset=utf-8')).toBe('json');
    expect(notationOf('text/xml')).toBe('xml');
    expect(notationOf('text/plain')).toBeUndefined();
    expect(notationOf(undefined)).toBeUndefined();
  });

  it('S168 S317 limits an idempotency key to 8 to 255 of its characters', () => {
    expect(IDEMPOTENCY_KEY.test('a.b:c@d+e-f_1')).toBe(true);
    expect(IDEMPOTENCY_KEY.test('1234567')).toBe(false);
    expect(IDEMPOTENCY_KEY.test('x'.repeat(255))).toBe(true);
    expect(IDEMPOTENCY_KEY.test('x'.repeat(256))).toBe(false);
    expect(IDEMPOTENCY_KEY.test('12345678 ')).toBe(false);
    expect(IDEMPOTENCY_KEY.test('12345678/')).toBe(false);
  });
});

describe('errors', () => {
  it('S276 S277 S278 S279 S280 S281 have one envelope', () => {
    const error = new AppError('duplicate', 'The document was submitted before.', { facts: { integrationId: 'x' } });
    expect(errorAnswer(error)).toEqual({
      status: 409,
      body: {
        status: 'error',
        type: 'E_CONFLICT',
        data: 'The document was submitted before.',
        metadata: {
          integrationId: 'x',
          reason: 'duplicate_document',
          debug_error_message: 'duplicate: The document was submitted before.',
          debug_error_code: 409,
        },
      },
    });
  });

  it('S302 tells nothing of what went wrong inside', () => {
    expect(errorAnswer(new AppError('storage', 'disk sda1 is full'))).toEqual({
      status: 500,
      body: { status: 'error', type: 'E_INTERNAL_PROXY_ERROR', data: 'An internal error occurred; try again.' },
    });
  });

  it('say when to try again where that is known, as while the database is away', () => {
    const away = new AppError('storage', 'The database does not answer; try again later.', { facts: { retryAfterSeconds: 5 } });
    expect(errorAnswer(away)).toEqual({
      status: 503,
      body: { status: 'error', type: 'E_INTERNAL_PROXY_ERROR', data: 'The database does not answer; try again later.' },
    });
  });

  it('S296 a 422 carries description and details', () => {
    const { body } = errorAnswer(new AppError('invalid', 'No id.', { facts: { details: [{ rule: 'head-id' }] } }));
    expect(body.metadata).toMatchObject({ description: 'No id.', details: [{ rule: 'head-id' }] });
  });

  it('S305 are read back in both shapes, and from nobody else', () => {
    const { status, body } = errorAnswer(new AppError('missing', 'Not here.'));
    expect(parseErrorEnvelope(status, json(body))).toMatchObject({ status: 404, type: 'E_MISSING', data: 'Not here.' });
    const odd = { statusCode: 400, error: 'E_INVALID_PARAMETER', message: 'limit' };
    expect(parseErrorEnvelope(400, json(odd))).toEqual({ status: 400, type: 'E_INVALID_PARAMETER', data: 'limit', metadata: {} });
    expect(parseErrorEnvelope(502, json(odd))).toBeUndefined();
    expect(parseErrorEnvelope(400, new TextEncoder().encode('<html>Bad Request</html>'))).toBeUndefined();
    expect(parseErrorEnvelope(400, json({ error: 'bad' }))).toBeUndefined();
    expect(parseErrorEnvelope(400, json({ status: 'error', type: 'E_X' }))).toBeUndefined();
  });
});

describe('envelopes', () => {
  it('S057 S058 S059 S063 a create response names type and id', () => {
    expect(createEnvelope(familyNamed('DespatchAdvice'), 'D-7', 'u')).toEqual({
      status: 'success',
      data: { message: 'DespatchAdvice D-7 was received.', catalogue_id: 'D-7', despatchadvice_id: 'D-7', integrationId: 'u' },
    });
  });

  it('a list is read back with its documents, and nothing else is', () => {
    const invoice = familyNamed('Invoice');
    const body = json({ status: 'success', data: [{ Invoice: { ID: { _: '1' } }, integrationId: 'a' }, { integrationId: 'b' }] });
    expect(parseList(invoice, body)).toEqual([
      { integrationId: 'a', document: { ID: { _: '1' } } },
      { integrationId: 'b', document: undefined },
    ]);
    expect(parseList(invoice, json({ status: 'success', data: [{ integrationId: 5 }] }))).toBeUndefined();
    expect(parseList(invoice, json({ status: 'error', type: 'E', data: 'x' }))).toBeUndefined();
    expect(parseList(invoice, body.subarray(0, 20))).toBeUndefined();
  });
});
