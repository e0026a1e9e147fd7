// Specification, Versioning, and the API description as a whole: every route and every error of the specification is in it.
import { expect, it } from 'vitest';
import { templateOf } from '../support/described.ts';
import { useService } from '../support/service.ts';

const service = useService();

it('S323 the API description is version 1.0.0, in OpenAPI 3.1', () => {
  expect(service.description.info.version).toBe('1.0.0');
  expect(service.description.openapi).toMatch(/^3\.1\.\d$/);
});

it('S324 no version segment appears in any path', () => {
  for (const path of Object.keys(service.description.paths)) expect(path).not.toMatch(/\/v\d/i);
});

/** Specification, Endpoints: the tables, and what decisions A1 adds. */
const TRANSACTIONS = [
  'invoices',
  'creditnotes',
  'orders',
  'order-responses',
  'order-changes',
  'order-cancellations',
  'catalogues',
  'despatch-advices',
];
const ROUTES: readonly (readonly [method: string, path: string])[] = [
  ...TRANSACTIONS.flatMap((family) =>
    ['incoming', 'outgoing'].flatMap((direction) => {
      const path = `/transaction/{accountRegNo}/${family}/${direction}`;
      return [
        ['get', path],
        ['post', path],
        ['get', `${path}/read${family.replaceAll('-', '')}`],
        ['get', `${path}/status`],
      ] as const;
    }),
  ),
  ['get', '/token/{accountRegNo}'],
  ['post', '/token/{accountRegNo}'],
  ['post', '/token'],
  ['get', '/partner/{partnerRegNo}/account'],
  ['post', '/partner/{partnerRegNo}/account'],
  ['get', '/partner/{partnerRegNo}/account/{accountRegNo}'],
  ['put', '/partner/{partnerRegNo}/account/{accountRegNo}'],
  ['get', '/.well-known/jwks.json'],
];

it.each(ROUTES)('%s %s is described', (method, path) => {
  expect(Object.keys(service.description.paths[path] ?? {})).toContain(method);
});

it('S276 S285 every error of the specification is described, with its types', () => {
  const schemas: Record<string, unknown> = { ...service.description.components.schemas };
  const types = {
    400: ['E_BAD_REQUEST'],
    401: ['E_UNAUTHORIZED_CLIENT', 'E_CLIENT_UNSUCCESSFUL_AUTHENTICATION'],
    403: ['E_MISSING_PERMISSION'],
    404: ['E_MISSING'],
    409: ['E_CONFLICT'],
    422: ['E_VALIDATION', 'E_PEPPOL_PARTICIPANT_SMP_LOOKUP'],
    429: ['E_RATE_LIMITED'],
    500: ['E_INTERNAL_PROXY_ERROR'],
    501: ['E_NOT_IMPLEMENTED'],
  };
  for (const [status, expected] of Object.entries(types)) {
    expect(schemas[`Error${status}`], status).toMatchObject({ properties: { type: { enum: expect.arrayContaining(expected) } } });
    const described = Object.values(service.description.paths).flatMap((path) =>
      Object.values(path).map(({ responses }) => responses[status]),
    );
    expect(described, status).toContainEqual({ $ref: `#/components/responses/Error${status}` });
  }
});

it('S190 S235 S236 transaction endpoints are described with the statuses of the specification', () => {
  const invoices = service.description.paths['/transaction/{accountRegNo}/invoices/incoming'];
  const statuses = Object.values(invoices ?? {}).flatMap(({ responses }) => Object.keys(responses));
  // 503 is ours: the specification knows no database that is away.
  expect([...new Set(statuses)].filter((status) => status !== '503').sort()).toEqual([
    '200',
    '204',
    '400',
    '401',
    '403',
    '404',
    '409',
    '422',
    '429',
    '500',
  ]);
  const read = service.description.paths['/transaction/{accountRegNo}/despatch-advices/outgoing/readdespatchadvices']?.get?.responses;
  expect(Object.keys(read ?? {})).not.toContain('204');
});

it('every operation says what it does, under a name of its own, and every reference leads somewhere', () => {
  const text = JSON.stringify(service.description);
  for (const [, pointer = ''] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
    const found = pointer
      .split('/')
      .reduce<unknown>(
        (value, key) => (value instanceof Object ? Object.entries(value).find(([name]) => name === key)?.[1] : undefined),
        service.description,
      );
    expect(found, pointer).toBeDefined();
  }
  const operations = Object.values(service.description.paths).flatMap((path) => Object.values(path));
  expect(operations.length).toBeGreaterThanOrEqual(ROUTES.length);
  for (const operation of operations)
    expect(operation).toMatchObject({ summary: expect.stringMatching(/\w/), operationId: expect.stringMatching(/\w/) });
  const names = operations.map((operation) => JSON.stringify(Object.entries(operation).find(([key]) => key === 'operationId')));
  expect(new Set(names).size).toBe(names.length);
});

it('whatever is described is there', async () => {
  for (const [template, methods] of Object.entries(service.description.paths)) {
    if (!('get' in methods) || template.includes('{family}')) continue;
    const path = template.replace('{accountRegNo}', service.seller.accountRegNo).replace(/\{\w+\}/g, 'x');
    expect(templateOf(service.description, path)).toBe(template);
    const { json, status } = await service.call(path);
    expect(json?.data, `${template}: ${status}`).not.toBe('There is no such endpoint.');
  }
});

it('the page needs no other host, runs no script, and tells of every path', async () => {
  const { headers, text } = await service.call('/docs', { key: null });
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/=]+'; /);
  expect(text).not.toMatch(/<script|https?:\/\/|src=|@import|url\(/i);
  for (const path of Object.keys(service.description.paths)) expect(text).toContain(path);
});
