// Specification, Errors: the envelope, and the codes that a client can provoke.
import { describe, expect, it } from 'vitest';
import { readTree } from '#ubl/read.ts';
import type { Call } from '../support/core.ts';
import { at, documentFor, freshId, useService } from '../support/service.ts';

const service = useService();
const outgoing = () => at(service.seller, 'invoices', 'outgoing');
const once = freshId();

const ERRORS: readonly (readonly [title: string, status: number, type: string, path: () => string, call: () => Call])[] = [
  ['S282 a malformed request', 400, 'E_BAD_REQUEST', () => `${outgoing()}?limit=none`, () => ({})],
  ['S286 no credentials', 401, 'E_UNAUTHORIZED_CLIENT', outgoing, () => ({ key: null })],
  ['S288 credentials of another account', 401, 'E_CLIENT_UNSUCCESSFUL_AUTHENTICATION', outgoing, () => ({ key: service.buyer.key })],
  ['S290 what is not there', 404, 'E_MISSING', () => at(service.seller, 'letters', 'outgoing'), () => ({})],
  ['S291 a duplicate', 409, 'E_CONFLICT', outgoing, () => ({ body: documentFor(service, 'Invoice', { id: once }) })],
  ['S294 no valid document', 422, 'E_VALIDATION', outgoing, () => ({ body: documentFor(service, 'Order') })],
  ['S303 what is not implemented', 501, 'E_NOT_IMPLEMENTED', () => at(service.seller, 'orderagreements', 'incoming'), () => ({})],
];

describe.each(ERRORS)('%s', (_, status, type, path, call) => {
  const provoke = async (more: Call = {}) => {
    if (type === 'E_CONFLICT') await service.call(outgoing(), { body: documentFor(service, 'Invoice', { id: once }) });
    return service.call(path(), { ...call(), ...more });
  };

  it(`S099 S276 S277 S278 S279 S280 S281 S285 is answered with ${status} ${type} in the one envelope`, async () => {
    const answer = await provoke();
    expect(answer.status).toBe(status);
    expect(answer.json).toEqual({
      status: 'error',
      type,
      data: expect.any(String),
      metadata: expect.objectContaining({ debug_error_message: expect.any(String), debug_error_code: status }),
    });
  });

  it('has the same in XML', async () => {
    const root = readTree((await provoke({ accept: 'application/xml' })).bytes);
    expect(root.name).toBe('error');
    expect(root.children.find(({ name }) => name === 'type')?.text).toBe(type);
  });
});

it('S293 the 409 of a duplicate carries the integrationId of what is stored', async () => {
  const id = freshId();
  const { integrationId } = (await service.call(outgoing(), { body: documentFor(service, 'Invoice', { id }) })).json.data;
  expect((await service.call(outgoing(), { body: documentFor(service, 'Invoice', { id }) })).json.metadata.integrationId).toBe(
    integrationId,
  );
});

it('S296 the 422 carries a description and details', async () => {
  const { json } = await service.call(outgoing(), { body: documentFor(service, 'Order') });
  expect(json.metadata).toMatchObject({ description: expect.any(String), details: [expect.any(Object)] });
});

it('S189 S304 204 has no body', async () => {
  const answer = await service.call(`${outgoing()}?documentId=${freshId()}`);
  expect({ status: answer.status, bytes: answer.bytes.length }).toEqual({ status: 204, bytes: 0 });
});
