// The statuses with which each family answers: those that the specification lists, and each of them in its place.
import { expect, it } from 'vitest';
import { updateCoreAccount } from '#core/operate/administration.ts';
import { type FamilyName, familyNamed } from '#domain/family.ts';
import { coreOfTest } from '../../../support/core.ts';
import { documentOf } from '../../../support/documents.ts';

it.each([
  ['S190', 'Invoice'],
  ['S191 S192 S193', 'CreditNote'],
  ['S194', 'Order'],
  ['S235 S236', 'DespatchAdvice'],
  ['every family', 'Catalogue'],
] as const)('%s %s endpoints answer with the listed statuses', async (_, name: FamilyName) => {
  const test = await coreOfTest();
  const { segment, read } = familyNamed(name);
  const out = `/transaction/seller/${segment}/outgoing`;
  const body = documentOf(name);

  const posts = [
    await test.call(out, { body }),
    await test.call(out, { body: new Uint8Array(), type: 'application/xml' }),
    await test.call(out, { body, key: null }),
    await test.call(`${out}/${read}`, { body }),
    await test.call(out, { body }),
    await test.call(out, { body: '<x/>' }),
  ];
  const gets = [
    await test.call(out),
    await test.call(`${out}?documentId=none`),
    await test.call(`${out}/${read}?limit=0`),
    await test.call(out, { key: test.buyer.apiKey }),
    await test.call(`${out}/nothing`),
    await test.call(`${out}/${read}`),
    await test.call(`${out}/status?includeRead=true`),
  ];
  await updateCoreAccount(test.administration, 'seller', { features: { apiIntegration: false } });
  posts.push(await test.call(out, { body }));
  gets.push(await test.call(out));
  await test.administration.ledger.write([], (rows) => rows.schema.dropTable('api_keys').execute());
  posts.push(await test.call(out, { body }));
  gets.push(await test.call(out));

  expect(posts.map(({ status }) => status)).toEqual([200, 400, 401, 404, 409, 422, 403, 500]);
  expect(gets.map(({ status }) => status)).toEqual([200, 204, 400, 401, 404, 200, 200, 403, 500]);
});
