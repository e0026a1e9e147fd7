// Specification, Endpoints: paths, notations, query parameters, and what a create takes.
import { describe, expect, it } from 'vitest';
import { FAMILIES } from '#domain/family.ts';
import { readTree } from '#ubl/read.ts';
import { jsonOf } from '#ubl/write-json.ts';
import { at, dayOf, documentFor, freshId, useService } from '../support/service.ts';

const service = useService();
const outgoing = (query = '') => at(service.seller, 'invoices', `outgoing${query}`);
const send = (id: string, note = 'first') => service.call(outgoing(), { body: documentFor(service, 'Invoice', { id, note }) });
const idsOf = (answer: { json: { data: { Invoice: { ID: { _: string } } }[] } | undefined }) =>
  (answer.json?.data ?? []).map(({ Invoice }) => Invoice.ID._);

describe('every family', () => {
  it.each(FAMILIES)(
    'S007 S027 S028 S140 S141 S172 S173 S174 S175 S176 S191 S192 S193 S194 S195 S196 S197 S198 S199 S200 S201 S217 S218 S219 S220 S221 S222 $name: create, list, read and status in both directions',
    async (family) => {
      for (const [party, direction] of [
        [service.seller, 'outgoing'],
        [service.buyer, 'incoming'],
      ] as const) {
        const { key } = party;
        const id = freshId();
        const path = (rest: string) => at(party, family.segment, `${direction}${rest}?documentId=${id}`);
        expect(
          (await service.call(at(party, family.segment, direction), { key, body: documentFor(service, family.name, { id }) })).status,
        ).toBe(200);
        expect((await service.call(path(''), { key })).json.data).toHaveLength(1);
        expect((await service.call(path('/status'), { key })).json).toHaveLength(1);
        expect((await service.call(path(`/${family.read}`), { key })).json.data).toHaveLength(1);
      }
    },
  );

  it('hyphens and case do not matter', async () => {
    for (const family of ['despatchAdvices', 'DESPATCH-ADVICES', 'orderResponses']) {
      expect([200, 204]).toContain((await service.call(at(service.seller, family, 'outgoing'))).status);
    }
  });
});

describe('notations', () => {
  it('S018 S146 S147 S170 S171 a create takes JSON and XML', async () => {
    const xml = documentFor(service, 'Invoice');
    expect((await service.call(outgoing(), { body: xml })).status).toBe(200);
    const json = `{"Invoice":${jsonOf(readTree(documentFor(service, 'Invoice')))}}`;
    expect((await service.call(outgoing(), { body: json, type: 'application/json' })).status).toBe(200);
    expect((await service.call(outgoing(), { body: xml, type: 'text/plain' })).status).toBe(400);
  });

  it('S019 S143 S144 S145 S316 Accept selects JSON, the default, or XML, which is exactly one document', async () => {
    const id = freshId();
    await send(id);
    const json = await service.call(outgoing(`?documentId=${id}`));
    expect(json.headers.get('content-type')).toMatch(/^application\/json/);
    expect((await service.call(outgoing(`?documentId=${id}`), { accept: 'application/json' })).json).toEqual(json.json);
    const xml = await service.call(outgoing('?limit=5'), { accept: 'application/xml' });
    expect(readTree(xml.bytes).name).toBe('Invoice');
  });

  it('S215 S216 the status endpoint has no XML form, and no document', async () => {
    const answer = await service.call(at(service.seller, 'orders', 'outgoing/status?includeRead=true'), { accept: 'application/xml' });
    for (const each of answer.json ?? []) expect(Object.keys(each).sort()).toEqual(['metadata', 'readAt', 'uuid']);
  });

  it('S322 an array of messages is refused', async () => {
    expect((await service.call(outgoing(), { body: '[{"Invoice":{}}]', type: 'application/json' })).status).toBe(400);
  });
});

describe('query parameters', () => {
  it('S148 S149 S164 S177 S178 S202 S203 S223 S224 S232 S233 S315 limit and offset page through the latest messages, newest first', async () => {
    const ids = Array.from({ length: 4 }, freshId);
    for (const id of ids) await send(id);
    const newest = ids.toReversed();
    expect(idsOf(await service.call(outgoing()))).toEqual(newest.slice(0, 3));
    expect(idsOf(await service.call(outgoing('?limit=4')))).toEqual(newest);
    expect(idsOf(await service.call(outgoing('?limit=2&offset=1')))).toEqual(newest.slice(1, 3));
    expect(idsOf(await service.call(outgoing('?offset=900000000')))).toEqual([]);
  });

  it('S150 S151 S179 S204 S213 S225 S234 includeRead returns what was read as well', async () => {
    const id = freshId();
    await send(id);
    const read = (query: string) => service.call(outgoing(`/readinvoices?documentId=${id}${query}`));
    await read('');
    expect((await read('')).status).toBe(204);
    expect((await read('&includeRead=false')).status).toBe(204);
    expect(idsOf(await read('&includeRead=true'))).toEqual([id]);
  });

  it('S152 S153 S180 S181 S205 S206 S226 S227 integrationId and documentId filter; empty, they do not', async () => {
    const id = freshId();
    const { integrationId } = (await send(id)).json.data;
    expect(idsOf(await service.call(outgoing(`?integrationId=${integrationId}`)))).toEqual([id]);
    expect(idsOf(await service.call(outgoing(`?documentId=${id}`)))).toEqual([id]);
    expect((await service.call(outgoing(`?documentId=${id}-not`))).status).toBe(204);
    expect(idsOf(await service.call(outgoing('?documentId=&integrationId=')))).toHaveLength(3);
  });

  it.each(['from', 'updatedAtFrom', 'to', 'updatedAtTo'])(
    'S154 S155 S156 S157 S158 S182 S183 S184 S185 S207 S208 S209 S210 S228 S229 S230 S231 %s takes a day, whole and inclusive',
    async (name) => {
      const id = freshId();
      await send(id);
      const today = await serviceDay();
      const ask = async (day: string) => idsOf(await service.call(outgoing(`?documentId=${id}&${name}=${day}`)));
      expect(await ask(today)).toEqual([id]);
      expect(await ask(/From$|^from$/.test(name) ? shifted(today, 1) : shifted(today, -1))).toEqual([]);
    },
  );

  it('S159 updatedAtTo is today when only updatedAtFrom is given', async () => {
    expect((await service.call(outgoing(`?updatedAtFrom=${shifted(await serviceDay(), 1)}`))).status).toBe(204);
  });

  it('S160 S161 S186 markUnread is for the read endpoints of invoices and credit notes', async () => {
    const today = await serviceDay();
    for (const path of [
      outgoing(`?markUnread=true&from=${today}`),
      at(service.seller, 'orders', `outgoing/readorders?markUnread=true&from=${today}`),
    ]) {
      expect((await service.call(path)).status).toBe(400);
    }
    expect([200, 204]).toContain((await service.call(outgoing(`/readinvoices?markUnread=true&from=${today}`))).status);
  });

  it.each(['limit=0', 'limit=1001', 'limit=x', 'offset=-1', 'includeRead=maybe', 'from=2026-02-30', 'markUnread=2'])(
    'S282 %s is refused',
    async (query) => {
      expect((await service.call(outgoing(`?${query}`))).status).toBe(400);
    },
  );
});

describe('a create', () => {
  it('S165 S166 S187 S214 overwrite replaces what has the same id and receiver, under the same integrationId', async () => {
    const id = freshId();
    const { integrationId } = (await send(id)).json.data;
    expect((await send(id, 'second')).status).toBe(409);
    const answer = await service.call(outgoing('?overwrite=true'), { body: documentFor(service, 'Invoice', { id, note: 'second' }) });
    expect(answer).toMatchObject({ status: 200, json: { data: { integrationId } } });
    const [{ Invoice }] = (await service.call(outgoing(`?documentId=${id}`))).json.data;
    expect(Invoice.Note).toEqual([{ _: 'second' }]);
  });

  it.each(['short', 'a'.repeat(256), 'not/allowed', 'with space'])(
    'S168 S188 S317 refuses the Idempotency-Key %s',
    async (idempotencyKey) => {
      expect((await service.call(outgoing(), { body: documentFor(service, 'Invoice'), idempotencyKey })).status).toBe(400);
    },
  );

  it('S167 S168 takes an Idempotency-Key of 8 to 255 word characters and . : @ + -, and none', async () => {
    const keys = [freshId().slice(-8).padStart(8, 'x'), freshId().padEnd(255, 'x'), `.:@+-_${freshId()}`];
    for (const idempotencyKey of keys) {
      expect((await service.call(outgoing(), { body: documentFor(service, 'Invoice'), idempotencyKey })).status, idempotencyKey).toBe(200);
    }
  });
});

async function serviceDay(): Promise<string> {
  return dayOf(await service.call(outgoing()));
}

function shifted(day: string, days: number): string {
  return new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);
}
