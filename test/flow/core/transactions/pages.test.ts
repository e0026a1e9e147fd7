import { beforeEach, describe, expect, it } from 'vitest';
import { FAMILIES, familyNamed } from '#domain/family.ts';
import { readHead } from '#ubl/head.ts';
import { readTree } from '#ubl/read.ts';
import { writeJson } from '#ubl/write-json.ts';
import { coreOfTest, type TestCore } from '../../../support/core.ts';
import { documentOf, invoice } from '../../../support/documents.ts';

const OUT = '/transaction/seller/invoices/outgoing';
const IN = '/transaction/buyer/invoices/incoming';
const READ = `${IN}/readinvoices`;

let test: TestCore;
beforeEach(async () => {
  test = await coreOfTest();
});

/** The buyer asks. */
const get = (path: string, accept?: string) => test.call(path, { key: test.buyer.apiKey, ...(accept ? { accept } : {}) });
const ids = (answer: { json: { data: { Invoice: { ID: { _: string } } }[] } }) => answer.json.data.map(({ Invoice }) => Invoice.ID._);

/** Sends invoices, a minute apart. */
async function send(...documentIds: string[]): Promise<void> {
  for (const id of documentIds) {
    expect((await test.call(OUT, { body: invoice({ id }) })).status).toBe(200);
    test.clock.nowMs += 60_000;
  }
}

describe('the plain list', () => {
  it('S019 S027 S044 S046 S050 S051 S052 S164 S172 S175 holds the latest three, newest first, in the list envelope', async () => {
    await send('a', 'b', 'c', 'd');
    for (const answer of [await get(IN), await test.call(OUT)]) {
      expect(answer).toMatchObject({ status: 200, json: { status: 'success' } });
      expect(ids(answer)).toEqual(['d', 'c', 'b']);
      expect(answer.json.data[0].integrationId).toMatch(/^[0-9a-f-]{36}$/);
      expect(answer.json.data[0].Invoice.LegalMonetaryTotal.PayableAmount).toEqual({ _: 495, currencyID: 'SEK' });
    }
  });

  it('keeps its order when the clock steps back', async () => {
    await send('a', 'b');
    test.clock.nowMs -= 25 * 3_600_000;
    await send('c');
    expect(ids(await get(IN))).toEqual(['c', 'b', 'a']);
  });

  it('days are asked for as the list has them, also after the clock has stepped back', async () => {
    await send('a');
    const today = new Date(test.clock.nowMs).toISOString().slice(0, 10);
    test.clock.nowMs -= 25 * 3_600_000;
    await send('b', 'c', 'd');
    expect(ids(await get(`${IN}?from=${today}&limit=10`))).toEqual(['d', 'c', 'b', 'a']);
  });

  it.each(FAMILIES)('S047 S048 S049 S191 S192 S194 S198 S199 S217 S220 $name: holds the document under its key', async (family) => {
    expect((await test.call(`/transaction/seller/${family.segment}/outgoing`, { body: documentOf(family.name, { id: 'x' }) })).status).toBe(
      200,
    );
    for (const answer of [
      await test.call(`/transaction/seller/${family.segment}/outgoing`),
      await get(`/transaction/buyer/${family.segment}/incoming`),
    ]) {
      expect(answer.json.data).toEqual([{ [family.name]: expect.objectContaining({ ID: { _: 'x' } }), integrationId: expect.any(String) }]);
    }
  });

  it('S148 S149 S177 S178 S315 pages by limit and offset, in a stable order', async () => {
    await send('a', 'b', 'c', 'd', 'e');
    expect(ids(await get(`${IN}?limit=2`))).toEqual(['e', 'd']);
    expect(ids(await get(`${IN}?limit=2&offset=2`))).toEqual(['c', 'b']);
    expect(ids(await get(`${IN}?limit=1000&offset=4`))).toEqual(['a']);
    expect((await get(`${IN}?offset=5`)).status).toBe(204);
  });

  it('loses none when documents arrive between two pages', async () => {
    await send('a', 'b', 'c', 'd');
    const seen = ids(await get(`${IN}?limit=2`));
    await send('e');
    seen.push(...ids(await get(`${IN}?limit=2&offset=2`)), ...ids(await get(`${IN}?limit=2&offset=4`)));
    expect(new Set(seen)).toEqual(new Set(['d', 'c', 'b', 'a']));
  });

  it('orders documents of the same moment by arrival', async () => {
    await Promise.all(['a', 'b', 'c'].map((id) => test.call(OUT, { body: invoice({ id }) })));
    const first = ids(await get(IN));
    expect([...first].sort()).toEqual(['a', 'b', 'c']);
    expect(ids(await get(IN))).toEqual(first);
  });

  it('S189 S304 answers an empty page with 204 and no body', async () => {
    for (const path of [IN, READ, `${IN}/status`]) {
      const answer = await get(path);
      expect(answer.status).toBe(204);
      expect(answer.bytes).toHaveLength(0);
    }
  });

  it.each([
    'limit=0',
    'limit=1001',
    'limit=2.5',
    'limit=three',
    'limit=',
    'offset=-1',
    'from=2026-02-30',
    'to=yesterday',
    'includeRead=perhaps',
  ])('refuses %s with 400', async (query) => {
    expect(await get(`${IN}?${query}`)).toMatchObject({ status: 400, json: { type: 'E_BAD_REQUEST' } });
  });

  it('S152 S153 S180 S181 filters by integrationId and documentId; an empty filter is none', async () => {
    await send('a', 'b');
    const [b] = (await get(IN)).json.data;
    expect(ids(await get(`${IN}?integrationId=${b.integrationId}`))).toEqual(['b']);
    expect(ids(await get(`${IN}?documentId=a`))).toEqual(['a']);
    expect(ids(await get(`${IN}?documentId=&integrationId=&from=`))).toEqual(['b', 'a']);
    expect((await get(`${IN}?documentId=zzz`)).status).toBe(204);
  });

  it('S154 S155 S156 S182 S183 filters by whole days of creation, both ends included', async () => {
    await send('second');
    test.clock.nowMs = Date.parse('2026-03-03T00:00:00.000Z');
    await send('third-first');
    test.clock.nowMs = Date.parse('2026-03-03T23:59:59.999Z');
    await send('third-last');
    test.clock.nowMs = Date.parse('2026-03-04T00:00:00.000Z');
    await send('fourth');
    expect(ids(await get(`${IN}?from=2026-03-03&to=2026-03-03`))).toEqual(['third-last', 'third-first']);
    expect(ids(await get(`${IN}?to=2026-03-02`))).toEqual(['second']);
    expect(ids(await get(`${IN}?from=2026-03-04T12:00:00Z`))).toEqual(['fourth']);
  });

  it('S157 S158 S159 S184 S185 filters by days of the last update; updatedAtTo is today when only updatedAtFrom is given', async () => {
    await send('a', 'b');
    test.clock.nowMs = Date.parse('2026-03-05T10:00:00Z');
    await test.call(`${OUT}?overwrite=true`, { body: invoice({ id: 'a', note: 'again' }) });
    expect(ids(await get(`${IN}?updatedAtFrom=2026-03-05`))).toEqual(['a']);
    expect(ids(await get(`${IN}?updatedAtTo=2026-03-04`))).toEqual(['b']);
    expect(ids(await get(`${IN}?updatedAtFrom=2026-03-01&updatedAtTo=2026-03-05`))).toEqual(['b', 'a']);
    test.clock.nowMs = Date.parse('2026-03-04T10:00:00Z');
    expect(ids(await get(`${IN}?updatedAtFrom=2026-03-01`))).toEqual(['b']);
  });

  it('S107 does not change the mark, and includeRead makes no difference', async () => {
    await send('a');
    await get(IN);
    await get(`${IN}?includeRead=true`);
    expect(ids(await get(READ))).toEqual(['a']);
    expect(ids(await get(IN))).toEqual(['a']);
  });

  it('S053 S054 S143 S145 S316 in XML is one document, whatever limit says', async () => {
    await send('a', 'b');
    const answer = await get(`${IN}?limit=2`, 'application/xml');
    expect(answer.headers.get('content-type')).toBe('application/xml');
    expect(readTree(answer.bytes).name).toBe('Invoice');
    expect(answer.bytes.equals(invoice({ id: 'b' }))).toBe(true);
    expect(answer.headers.get('integrationid')).toBe((await get(IN)).json.data[0].integrationId);
    expect((await get(`${IN}?offset=1`, 'application/xml')).bytes.equals(invoice({ id: 'a' }))).toBe(true);
    expect((await get(IN, '*/*')).json.status).toBe('success');
  });

  it('is whole although its documents are long', async () => {
    const sent = ['l1', 'l2', 'l3', 'l4', 'l5', 'l6'];
    for (const id of sent) {
      const body = invoice({ id, attachmentBytes: 700_000 });
      expect((await test.call(OUT, { body })).status).toBe(200);
    }
    const answer = await get(`${IN}?limit=10`);
    expect(answer.headers.get('content-length')).toBeNull();
    expect(ids(answer)).toEqual(sent.toReversed());
  });

  it('gives what came as JSON in XML too', async () => {
    const body = writeJson(readTree(invoice({ id: 'j' })));
    expect((await test.call(OUT, { body, type: 'application/json' })).status).toBe(200);
    expect(readHead((await get(IN, 'application/xml')).bytes)).toMatchObject({ documentId: 'j', notation: 'xml' });
    expect(ids(await get(IN))).toEqual(['j']);
  });
});

describe('the read endpoint', () => {
  it('S029 S045 S100 S101 S105 S106 S118 S174 returns unread documents and marks those of the page', async () => {
    await send('a', 'b', 'c');
    expect(ids(await get(`${READ}?limit=2`))).toEqual(['c', 'b']);
    expect(ids(await get(READ))).toEqual(['a']);
    expect((await get(READ)).status).toBe(204);
  });

  it.each([
    ['S102 S196 S200 S211 S212 S213', 'Order'],
    ['S103 S219 S222 S232 S233 S234', 'DespatchAdvice'],
    ['S193', 'CreditNote'],
    ['every family', 'Catalogue'],
  ] as const)('%s %s has its own, in both directions, with limit, offset and includeRead', async (_, name) => {
    const { segment, read } = familyNamed(name);
    for (const id of ['a', 'b', 'c']) await test.call(`/transaction/seller/${segment}/outgoing`, { body: documentOf(name, { id }) });
    for (const [path, key] of [
      [`/transaction/buyer/${segment}/incoming/${read}`, test.buyer.apiKey],
      [`/transaction/seller/${segment}/outgoing/${read}`, test.seller.apiKey],
    ] as const) {
      expect((await test.call(`${path}?limit=1&offset=1`, { key })).json.data).toHaveLength(1);
      expect((await test.call(path, { key })).json.data).toHaveLength(2);
      expect((await test.call(`${path}?includeRead=true`, { key })).json.data).toHaveLength(3);
    }
  });

  it.each([
    ['S162', 'Order'],
    ['S163', 'DespatchAdvice'],
  ] as const)(
    '%s of %s needs no parameter but limit, offset and includeRead; the other filters, which we add, only narrow',
    async (_, name) => {
      const { segment, read } = familyNamed(name);
      for (const id of ['a', 'b', 'c']) await test.call(`/transaction/seller/${segment}/outgoing`, { body: documentOf(name, { id }) });
      const path = `/transaction/buyer/${segment}/incoming/${read}`;
      const ids = async (query: string) =>
        ((await get(path + query)).json?.data ?? []).map((item: Record<string, { ID: { _: string } }>) => item[name]?.ID._);
      expect(await ids('?limit=1&offset=1')).toEqual(['b']);
      expect(await ids('?includeRead=true&documentId=b')).toEqual(['b']);
      expect(await ids('')).toEqual(['c', 'a']);
      expect(await ids('?limit=2&includeRead=true&offset=1')).toEqual(['b', 'a']);
    },
  );

  it('S104 marks only what matches the filters', async () => {
    await send('a', 'b');
    expect(ids(await get(`${READ}?documentId=a`))).toEqual(['a']);
    expect(ids(await get(READ))).toEqual(['b']);
  });

  it('S150 S151 S179 S204 includeRead=true returns those that were read as well, and their time stays', async () => {
    await send('a', 'b');
    await get(`${READ}?documentId=a`);
    const [readAt] = (await get(`${IN}/status?documentId=a&includeRead=true`)).json;
    expect(ids(await get(`${READ}?includeRead=true`))).toEqual(['b', 'a']);
    expect((await get(`${IN}/status?documentId=a&includeRead=true`)).json).toEqual([readAt]);
  });

  it('in XML marks exactly the one that it returns', async () => {
    await send('a', 'b', 'c');
    expect((await get(`${READ}?limit=3`, 'application/xml')).bytes.equals(invoice({ id: 'c' }))).toBe(true);
    expect(ids(await get(READ))).toEqual(['b', 'a']);
    expect((await get(READ, 'application/xml')).status).toBe(204);
  });

  it('hands each document to one of many who ask at once', async () => {
    await send('a', 'b', 'c', 'd', 'e', 'f');
    const answers = await Promise.all(Array.from({ length: 12 }, () => get(`${READ}?limit=1`)));
    const got = answers.filter(({ status }) => status === 200).flatMap(ids);
    expect(got.sort()).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  });

  it('hands out nothing twice while documents arrive, whatever pages and notations are asked for', async () => {
    const sent = Array.from({ length: 24 }, (_, at) => `m${at}`);
    const got: string[] = [];
    let sending = true;
    const reader = async (query: string, accept?: string): Promise<void> => {
      for (;;) {
        const last = !sending;
        const answer = await get(READ + query, accept);
        if (answer.status === 200)
          got.push(...(accept ? [readTree(answer.bytes).children.find(({ name }) => name === 'ID')?.text ?? ''] : ids(answer)));
        else if (last) return;
      }
    };
    const readers = [reader('?limit=2'), reader('?limit=5&includeRead=false'), reader('', 'application/xml'), reader('?limit=1000')];
    await Promise.all(sent.map((id) => test.call(OUT, { body: invoice({ id }) })));
    sending = false;
    await Promise.all(readers);
    expect(got.sort()).toEqual(sent.sort());
  });

  it('of outgoing despatch advices answers an empty page with an empty list', async () => {
    const answer = await test.call('/transaction/seller/despatch-advices/outgoing/readdespatchadvices');
    expect(answer).toMatchObject({ status: 200, json: { status: 'success', data: [] } });
  });
});

describe('a client that prefers a minimal answer of the read endpoint', () => {
  it('marks the one message that it names, and is sent no document', async () => {
    await send('a', 'b');
    const [{ integrationId }] = (await get(IN)).json.data;
    const minimal = (query: string) =>
      test.call(`${READ}?${query}`, { key: test.buyer.apiKey, headers: { prefer: 'Return=Minimal, wait=5' } });
    expect(await minimal(`integrationId=${integrationId}`)).toMatchObject({ status: 204, text: '' });
    expect((await minimal(`integrationId=${integrationId}&includeRead=true`)).headers.get('preference-applied')).toBe('return=minimal');
    const nothing = await minimal(`integrationId=${integrationId}`);
    expect([nothing.status, nothing.headers.get('preference-applied')]).toEqual([204, null]);
    expect(ids(await minimal('limit=9'))).toEqual(['a']);
  });
});

describe('markUnread', () => {
  const day = '2026-03-02';
  it.each([
    ['S108', 'integrationId', () => get(IN).then(({ json }) => json.data[0].integrationId)],
    ['S109', 'documentId', () => 'b'],
    ['S110', 'from', () => day],
    ['S111', 'updatedAtFrom', () => day],
  ])('%s S112 S113 S186 scoped by %s returns read documents, to be handed out again', async (_, scope, value) => {
    await send('a', 'b');
    await get(`${READ}?documentId=b`);
    const answer = await get(`${READ}?markUnread=true&${scope}=${await value()}`);
    expect(ids(answer)).toEqual(['b']);
    expect(ids(await get(READ))).toEqual(['b', 'a']);
  });

  it.each([
    ['S114 S283', ''],
    ['S116', '&limit=1'],
    ['S117', '&offset=0'],
    ['to alone', '&to=2026-03-02'],
    ['updatedAtTo alone', '&updatedAtTo=2026-03-02'],
    ['an empty filter', '&documentId='],
  ])('%s S115 is refused without a scope, and changes nothing', async (_, query) => {
    await send('a');
    await get(READ);
    expect(await get(`${READ}?markUnread=true${query}`)).toMatchObject({ status: 400, json: { type: 'E_BAD_REQUEST' } });
    expect((await get(READ)).status).toBe(204);
  });

  it('S160 S161 belongs to the read endpoints of invoices and credit notes only', async () => {
    for (const path of [`${IN}?markUnread=true&from=${day}`, `/transaction/buyer/orders/incoming/readorders?markUnread=true&from=${day}`]) {
      expect((await get(path)).status).toBe(400);
    }
    expect((await get(`/transaction/buyer/creditnotes/incoming/readcreditnotes?markUnread=true&from=${day}`)).status).toBe(204);
    await send('a');
    expect(ids(await get(`${READ}?markUnread=false`))).toEqual(['a']);
  });
});

describe('the status endpoint', () => {
  it('S069 S070 S071 S073 S119 S197 S215 S216 is a bare JSON array of metadata, of unread messages unless told otherwise', async () => {
    const path = '/transaction/buyer/orders/incoming';
    for (const id of ['a', 'b']) await test.call('/transaction/seller/orders/outgoing', { body: documentOf('Order', { id }) });
    const list = (await get(path)).json.data;
    await get(`${path}/readorders?limit=1`);
    expect((await get(`${path}/status`, 'application/xml')).json).toEqual([
      { uuid: list[1].integrationId, readAt: null, metadata: { status: 'received' } },
    ]);
    expect((await get(`${path}/status?includeRead=true`)).json).toEqual([
      { uuid: list[0].integrationId, readAt: '2026-03-02T12:00:00.000Z', metadata: { status: 'received' } },
      { uuid: list[1].integrationId, readAt: null, metadata: { status: 'received' } },
    ]);
  });

  it('S072 S201 readAt does not apply to outgoing messages', async () => {
    await test.call('/transaction/seller/orders/outgoing', { body: documentOf('Order') });
    await test.call('/transaction/seller/orders/outgoing/readorders');
    expect((await test.call('/transaction/seller/orders/outgoing/status?includeRead=true')).json).toMatchObject([
      { readAt: null, metadata: { status: 'delivered' } },
    ]);
  });

  it('S202 S203 S205 S206 S207 S208 S209 S210 takes the common filters', async () => {
    await send('a', 'b', 'c');
    const status = async (query: string) => ((await get(`${IN}/status?${query}`)).json ?? []).length;
    expect(await status('limit=2')).toBe(2);
    expect(await status('limit=3&offset=2')).toBe(1);
    expect(await status('documentId=a')).toBe(1);
    expect(await status('integrationId=none')).toBe(0);
    expect(await status('from=2026-03-02')).toBe(3);
    expect(await status('to=2026-03-01')).toBe(0);
    expect(await status('updatedAtFrom=2026-03-02')).toBe(3);
    expect(await status('updatedAtTo=2026-03-01')).toBe(0);
  });

  it('S223 S224 S225 S226 S227 S228 S229 S230 S231 despatch advices take them too', async () => {
    await test.call('/transaction/seller/despatch-advices/outgoing', { body: documentOf('DespatchAdvice', { id: 'd' }) });
    const path = '/transaction/buyer/despatch-advices/incoming';
    const all =
      'limit=3&offset=0&includeRead=true&documentId=d&from=2026-03-02&to=2026-03-02&updatedAtFrom=2026-03-02&updatedAtTo=2026-03-02';
    const [item] = (await get(`${path}?${all}`)).json.data;
    expect((await get(`${path}?${all}&integrationId=${item.integrationId}`)).json.data).toEqual([item]);
    expect((await get(`${path}?documentId=e`)).status).toBe(204);
  });
});
