// Specification, Resources and their fields.
import { describe, expect, it } from 'vitest';
import { FAMILIES, familyNamed } from '#domain/family.ts';
import { readTree } from '#ubl/read.ts';
import { at, documentFor, freshId, useService } from '../support/service.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const service = useService();
const invoices = (rest: string) => at(service.seller, 'invoices', rest);

describe('document message and list envelope', () => {
  it.each(FAMILIES)('S044 S045 S046 S047 S048 S049 S050 S051 S052 $name: a list item holds the document under its key', async (family) => {
    const id = freshId();
    const create = await service.call(at(service.seller, family.segment, 'outgoing'), { body: documentFor(service, family.name, { id }) });
    const { integrationId } = create.json.data;
    const item = { [family.name]: expect.objectContaining({ ID: { _: id } }), integrationId };
    for (const endpoint of ['outgoing', `outgoing/${family.read}`]) {
      const answer = await service.call(at(service.seller, family.segment, `${endpoint}?documentId=${id}`));
      expect(answer).toMatchObject({ status: 200, json: { status: 'success' } });
      expect(answer.json.data).toEqual([item]);
    }
  });

  it('S053 S054 in XML the body is the document, and the header carries the integrationId', async () => {
    const id = freshId();
    const body = documentFor(service, 'Invoice', { id });
    const create = await service.call(invoices('outgoing'), { body });
    const answer = await service.call(invoices(`outgoing?documentId=${id}`), { accept: 'application/xml' });
    expect(answer.headers.get('content-type')).toMatch(/^application\/xml/);
    expect(readTree(answer.bytes)).toMatchObject({ name: 'Invoice', namespace: familyNamed('Invoice').namespace });
    expect(answer.headers.get('integrationid')).toBe(create.json.data.integrationId);
  });
});

describe('create response', () => {
  it.each(FAMILIES)('S055 S056 S057 S058 S059 S060 S061 S062 S063 S064 $name', async (family) => {
    const id = freshId();
    const answer = await service.call(at(service.seller, family.segment, 'outgoing'), { body: documentFor(service, family.name, { id }) });
    const { data, status } = answer.json;
    expect({ http: answer.status, status }).toEqual({ http: 200, status: 'success' });
    expect(data.message).toContain(family.name);
    expect(data.message).toContain(id);
    expect(data[family.name === 'DespatchAdvice' ? 'catalogue_id' : `${family.name.toLowerCase()}_id`]).toBe(id);
    expect(data.integrationId).toMatch(UUID);
  });

  it('S065 S066 S067 S068 in XML has root success with message, integrationId and the id', async () => {
    const id = freshId();
    const answer = await service.call(invoices('outgoing'), { body: documentFor(service, 'Invoice', { id }), accept: 'application/xml' });
    const root = readTree(answer.bytes);
    expect(root.name).toBe('success');
    const children = Object.fromEntries(root.children.map(({ name, text }) => [name, text]));
    expect(children).toMatchObject({ message: expect.stringContaining(id), invoice_id: id, integrationId: expect.stringMatching(UUID) });
  });
});

describe('status object', () => {
  it('S069 S070 S071 S073 has uuid, readAt and the latest status', async () => {
    const id = freshId();
    const create = await service.call(at(service.buyer, 'orders', 'incoming'), {
      key: service.buyer.key,
      body: documentFor(service, 'Order', { id }),
    });
    const status = at(service.buyer, 'orders', `incoming/status?documentId=${id}&includeRead=true`);
    const ask = () => service.call(status, { key: service.buyer.key });
    expect((await ask()).json).toEqual([{ uuid: create.json.data.integrationId, readAt: null, metadata: { status: expect.any(String) } }]);
    await service.call(at(service.buyer, 'orders', `incoming/readorders?documentId=${id}`), { key: service.buyer.key });
    const [read] = (await ask()).json;
    expect(Date.parse(read.readAt)).not.toBeNaN();
  });

  it('S072 readAt is null where it does not apply', async () => {
    const id = freshId();
    await service.call(at(service.seller, 'orders', 'outgoing'), { body: documentFor(service, 'Order', { id }) });
    await service.call(at(service.seller, 'orders', `outgoing/readorders?documentId=${id}`));
    expect((await service.call(at(service.seller, 'orders', `outgoing/status?documentId=${id}&includeRead=true`))).json).toMatchObject([
      { readAt: null },
    ]);
  });
});

describe('token response', () => {
  it('S096 S097 S098 has a JWT, its type and its lifetime', async () => {
    const { json } = await service.call(`/token/${service.seller.accountRegNo}`);
    expect(json).toEqual({ access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/), token_type: 'Bearer', expires_in: 3600 });
  });
});
