// Specification, Limits: what every answer tells of the request budget. Who is refused, and when, is for tests with a clock of their own.
import { expect, it } from 'vitest';
import { at, documentFor, useService } from '../support/service.ts';

const service = useService();

it('S306 S308 S310 S311 S312 S313 every answer to an account tells of the one budget', async () => {
  const list = at(service.seller, 'invoices', 'outgoing');
  const asked = [
    await service.call(list),
    await service.call(list, { body: documentFor(service, 'Invoice') }),
    await service.call(`${list}?limit=0`),
    await service.call(at(service.seller, 'orders', 'incoming/status')),
    await service.call(`/token/${service.seller.accountRegNo}`),
  ];
  const told = asked.map(({ headers }) => Object.fromEntries(headers));
  for (const headers of told) {
    expect(headers['ratelimit-limit']).toMatch(/^\d+$/);
    expect(headers['ratelimit-reset']).toMatch(/^\d+$/);
    expect(headers['ratelimit-policy']).toMatch(new RegExp(`^${headers['ratelimit-limit']};w=\\d+$`));
  }
  const remaining = told.map((headers) => Number(headers['ratelimit-remaining']));
  const first = remaining[0] ?? Number.NaN;
  // Unless the window began anew on the way.
  if (first >= remaining.length) expect(remaining).toEqual(remaining.map((_, at) => first - at));
});

it('S310 S313 answers that belong to no account tell of the budget of the address', async () => {
  for (const path of ['/nothing', '/openapi.json', '/docs']) {
    const { headers } = await service.call(path, { key: null });
    expect(headers.get('ratelimit-policy'), path).toMatch(/^\d+;w=\d+$/);
  }
});
