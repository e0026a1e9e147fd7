// Identifiers of the network: names in DNS, document types, and which registered type fits.
import { describe, expect, it } from 'vitest';
import { dnsNameOf, fitness, routingOf } from '#core/network/identifiers.ts';
import type { DocumentHead } from '#domain/document.ts';

const HEAD: DocumentHead = {
  family: 'Invoice',
  documentId: '1',
  sender: '0088:7300010000001',
  receiver: '0088:7350000000016',
  customizationId: 'urn:peppol:pint:billing-1@jp-1',
  profileId: 'urn:peppol:bis:billing',
  issueDate: null,
};
const NS = 'urn:oasis:names:specification:ubl:schema:xsd';

it('a participant’s name is the SHA-256 of its lower case, in base 32 of RFC 4648 without padding', () => {
  // By `printf 9915:test | openssl dgst -sha256 -binary | base32 | tr A-Z a-z`.
  const name = 'eh5boavaktmbgzyh2a63dz4qov33fvp5nsdvqklucfraayoodw6a.iso6523-actorid-upis.zone.example';
  expect(dnsNameOf('9915:test', 'zone.example')).toBe(name);
  expect(dnsNameOf('9915:TEST', 'zone.example')).toBe(name);
});

it('a PINT document has a wildcard type, others an exact one; change, cancellation and advanced response are of UBL 2.3', () => {
  expect(routingOf(HEAD).documentType).toEqual({
    scheme: 'peppol-doctype-wildcard',
    value: `${NS}:Invoice-2::Invoice##urn:peppol:pint:billing-1@jp-1::2.1`,
  });
  const of = (family: DocumentHead['family'], transaction: string) =>
    routingOf({ ...HEAD, family, customizationId: `urn:fdc:peppol.eu:poacc:trns:${transaction}:3` }).documentType;
  expect(of('Order', 'order')).toMatchObject({ scheme: 'busdox-docid-qns', value: expect.stringMatching(/::2\.1$/) });
  expect(of('OrderCancellation', 'order_cancellation').value).toMatch(/::2\.3$/);
  expect(of('OrderResponse', 'order_response_advanced').value).toMatch(/::2\.3$/);
  expect(of('OrderResponse', 'order_response').value).toMatch(/::2\.1$/);
});

it.each(['customizationId', 'profileId'] as const)('a document without %s cannot be addressed', (key) => {
  expect(() => routingOf({ ...HEAD, [key]: null })).toThrow(key === 'profileId' ? 'ProfileID' : 'CustomizationID');
});

describe('which registered type fits', () => {
  const wanted = routingOf(HEAD).documentType;
  const wildcard = (customization: string) => ({
    scheme: 'peppol-doctype-wildcard',
    value: `${NS}:Invoice-2::Invoice##${customization}::2.1`,
  });
  it('the very type is best, then the longest wildcard', () => {
    const registered = [wildcard('*'), wildcard('urn:peppol:pint:billing-1*'), wildcard('urn:peppol:pint:billing-1@jp-1')];
    const [any = 0, base = 0, exact = 0] = registered.map((type) => fitness(type, wanted));
    expect(any).toBeGreaterThan(0);
    expect(base).toBeGreaterThan(any);
    expect(exact).toBeGreaterThan(base);
    expect(fitness({ ...wildcard('urn:peppol:pint:billing-1@jp-1'), scheme: 'busdox-docid-qns' }, wanted)).toBe(exact);
  });

  it.each([
    wildcard('urn:peppol:pint:billing-1@sg-1*'),
    { scheme: 'busdox-docid-qns', value: wildcard('urn:peppol:pint:billing-1*').value },
    { scheme: 'other', value: wanted.value },
    { ...wildcard('urn:peppol:pint:*'), value: wildcard('urn:peppol:pint:*').value.replace('::2.1', '::2.3') },
  ])('%o does not', (registered) => {
    expect(fitness(registered, wanted)).toBe(0);
  });

  it('stars mean nothing to a document that is no PINT', () => {
    const billing = { scheme: 'busdox-docid-qns', value: wildcard('x').value };
    expect(fitness(wildcard('*'), billing)).toBe(0);
    expect(fitness(billing, billing)).toBeGreaterThan(0);
  });
});
