// Specification, States and transitions: the read mark, and idempotency keys.
import { describe, expect, it } from 'vitest';
import type { FamilyName } from '#domain/family.ts';
import { familyNamed } from '#domain/family.ts';
import { at, dayOf, documentFor, freshId, useService } from '../support/service.ts';

const service = useService();
const key = () => service.buyer.key;

/** Receives documents of one id each; returns the ids, oldest first. */
async function receive(count: number, family: FamilyName = 'Invoice'): Promise<string[]> {
  const ids = Array.from({ length: count }, freshId);
  for (const id of ids) await post(id, family);
  return ids;
}

const post = async (id: string, family: FamilyName = 'Invoice') => {
  const path = at(service.buyer, familyNamed(family).segment, 'incoming');
  const answer = await service.call(path, { key: key(), body: documentFor(service, family, { id }) });
  expect(answer.status).toBe(200);
  return answer;
};

const get = (query: string, endpoint = 'incoming/readinvoices') =>
  service.call(at(service.buyer, 'invoices', `${endpoint}?${query}`), { key: key() });

describe('the read mark', () => {
  it.each([
    ['S101', 'Invoice'],
    ['S102', 'Order'],
    ['S103', 'DespatchAdvice'],
    ['credit notes alike', 'CreditNote'],
  ] as const)('%s S029 S100 S106 S118 the read endpoint of %s returns what is unread, and marks it', async (_, family) => {
    const [id] = await receive(1, family);
    const { segment, read } = familyNamed(family);
    const take = () => service.call(at(service.buyer, segment, `incoming/${read}?documentId=${id}`), { key: key() });
    expect((await take()).json.data).toHaveLength(1);
    expect((await take()).status).toBe(204);
  });

  it('S104 S105 marks only what matches the filters and stands on the page', async () => {
    const ids = await receive(3);
    expect((await get(`limit=2&documentId=${ids[0]}`)).json.data).toHaveLength(1);
    const unread = async () => Promise.all(ids.map(async (id) => (await get(`documentId=${id}`, 'incoming/status')).status === 200));
    expect(await unread()).toEqual([false, true, true]);
  });

  it('S107 S119 a plain list changes no mark; the status endpoint tells of unread messages only', async () => {
    const [id] = await receive(1);
    await get(`documentId=${id}`, 'incoming');
    expect((await get(`documentId=${id}`, 'incoming/status')).json).toHaveLength(1);
    await get(`documentId=${id}`);
    expect((await get(`documentId=${id}`, 'incoming/status')).status).toBe(204);
    expect((await get(`documentId=${id}`, 'incoming')).json.data).toHaveLength(1);
  });

  it.each(['documentId', 'integrationId', 'from', 'updatedAtFrom'])(
    'S108 S109 S110 S111 S112 S113 markUnread scoped by %s returns what was read, to be handed out again',
    async (scope) => {
      const id = freshId();
      const { integrationId } = (await post(id)).json.data;
      const today = dayOf(await get(`documentId=${id}`));
      const value = { documentId: id, integrationId, from: today, updatedAtFrom: today }[scope];
      const answer = await get(`markUnread=true&limit=1000&${scope}=${value}`);
      expect(answer.json.data.map((each: { integrationId: string }) => each.integrationId)).toContain(integrationId);
      expect((await get(`documentId=${id}`)).json.data).toHaveLength(1);
    },
  );

  it.each(['', '&limit=1', '&offset=0', '&to=2030-01-01'])(
    'S114 S115 S116 S117 S283 markUnread without a scope (%s) is refused, and changes nothing',
    async (query) => {
      const [id] = await receive(1);
      await get(`documentId=${id}`);
      expect(await get(`markUnread=true${query}`)).toMatchObject({ status: 400, json: { type: 'E_BAD_REQUEST' } });
      expect((await get(`documentId=${id}`)).status).toBe(204);
    },
  );
});

describe('an idempotency key', () => {
  const path = () => at(service.seller, 'invoices', 'outgoing');
  const send = (idempotencyKey: string, body: Uint8Array) => service.call(path(), { body, idempotencyKey });

  it('S132 S135 S137 S138 replays the original response', async () => {
    const body = documentFor(service, 'Invoice');
    const idempotencyKey = freshId();
    const first = await send(idempotencyKey, body);
    const second = await send(idempotencyKey, body);
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.text).toBe(first.text);
  });

  it('S133 S134 S292 in flight: repeated at once, the request is done once, and the others are told so or get its response', async () => {
    const body = documentFor(service, 'Invoice');
    const idempotencyKey = freshId();
    const answers = await Promise.all(Array.from({ length: 6 }, () => send(idempotencyKey, body)));
    const [done, told] = [answers.filter(({ status }) => status === 200), answers.filter(({ status }) => status !== 200)];
    expect(new Set(done.map(({ text }) => text)).size).toBe(1);
    for (const answer of told) expect(answer).toMatchObject({ status: 409, json: { type: 'E_CONFLICT' } });
    expect((await send(idempotencyKey, body)).text).toBe(done[0]?.text);
  });

  it('S136 is released by a request that failed', async () => {
    const idempotencyKey = freshId();
    expect((await send(idempotencyKey, new TextEncoder().encode('<Invoice'))).status).toBe(422);
    expect((await send(idempotencyKey, documentFor(service, 'Invoice'))).status).toBe(200);
  });

  it('S139 S284 with another body is refused', async () => {
    const idempotencyKey = freshId();
    await send(idempotencyKey, documentFor(service, 'Invoice'));
    expect(await send(idempotencyKey, documentFor(service, 'Invoice'))).toMatchObject({ status: 400, json: { type: 'E_BAD_REQUEST' } });
  });

  it('S169 is scoped to the account', async () => {
    const idempotencyKey = freshId();
    await send(idempotencyKey, documentFor(service, 'Invoice'));
    const other = { key: key(), body: documentFor(service, 'Invoice'), idempotencyKey };
    expect((await service.call(at(service.buyer, 'invoices', 'incoming'), other)).status).toBe(200);
  });
});
