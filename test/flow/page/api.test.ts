// The API of operators: the same operations as JSON, and its description, held together with the table of operations.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Schema from 'typebox/schema';
import { beforeEach, describe, expect, it } from 'vitest';
import { OPERATIONS, type OperationName, runByOf, sentenceOf } from '#operations/table.ts';
import { NOT_OFFERED, OFFERED } from '#page/offered.ts';
import { isSecret } from '#runtime/log.ts';
import { invoice } from '../../support/documents.ts';
import { askApi, describedApi } from '../../support/operators-api.ts';
import { startPage, type TestPage } from '../../support/page.ts';
import { until } from '../../support/until.ts';
import { scripted } from '../../support/world/services.ts';
import { startWorld, type World } from '../../support/world/world.ts';

interface Described {
  readonly openapi: string;
  readonly paths: Readonly<
    Record<
      string,
      {
        readonly post: {
          readonly operationId: string;
          readonly summary: string;
          readonly requestBody: { readonly required: boolean };
          readonly responses: Readonly<Record<string, { readonly content?: { readonly 'application/json': { readonly schema: object } } }>>;
        };
      }
    >
  >;
}

const NAMES = Object.keys(OPERATIONS) as OperationName[];

function isDescription(body: unknown): body is Described {
  return typeof body === 'object' && body !== null && 'paths' in body;
}

describe('of the operations of the table', () => {
  /** Every name of a property below a form. */
  function propertiesIn(form: unknown): string[] {
    if (typeof form !== 'object' || form === null) return [];
    const own = 'properties' in form && typeof form.properties === 'object' ? Object.keys(form.properties ?? {}) : [];
    return [...own, ...Object.values(form).flatMap(propertiesIn)];
  }

  it.each(NAMES)('%s is offered, or the table says why it is not', async (name) => {
    const { answer } = await OPERATIONS[name].load();
    const printsSecret = propertiesIn(answer).some(isSecret);
    const staysHere = runByOf(name) !== 'daemon' || name in NOT_OFFERED;
    expect(OFFERED.includes(name)).toBe(!staysHere);
    if (printsSecret || name.startsWith('operator.')) expect(staysHere).toBe(true);
  });

  it('those that stay on the machine are these', () => {
    const staying = NAMES.filter((name) => !OFFERED.includes(name) && !name.startsWith('operator.'));
    for (const name of ['export', 'account.export', 'backup', 'restore', 'recover', 'apply', 'check-config', 'doctor'])
      expect(staying).toContain(name);
    expect(Object.keys(NOT_OFFERED).filter((name) => !NAMES.includes(name as OperationName))).toEqual([]);
  });
});

describe('on a gateway', () => {
  let world: World;
  let page: TestPage;
  beforeEach(async () => {
    world = await startWorld(scripted());
    page = await startPage(world);
  });

  it('describes exactly what it offers, by the forms of the operations', async () => {
    const { status, body } = await describedApi(page.url, { operator: 'looker' });
    expect(status).toBe(200);
    if (!isDescription(body)) throw new Error('This is no description.');
    expect(body.openapi).toBe('3.1.0');
    expect(Object.keys(body.paths)).toEqual(OFFERED.map((name) => `/api/${name}`));
    for (const name of OFFERED) {
      const told = body.paths[`/api/${name}`]?.post;
      const { answer } = await OPERATIONS[name].load();
      expect(told).toMatchObject({ operationId: name, summary: sentenceOf(name) });
      expect(told?.responses[200]?.content?.['application/json'].schema).toEqual(JSON.parse(JSON.stringify(answer)));
    }
  });

  it('answers as it is described, each that only looks and needs nothing said', async () => {
    await world.drop('acme-ab', 'a.xml', invoice({ id: 'F-1' }));
    await until('its receipt', () => world.files('acme-ab', 'receipts').length === 1);
    const { body } = await describedApi(page.url);
    if (!isDescription(body)) throw new Error('This is no description.');
    const asked = OFFERED.filter((name) => {
      const post = body.paths[`/api/${name}`]?.post;
      return OPERATIONS[name].kind === 'looks' && post?.requestBody.required === false;
    });
    expect(asked).toEqual(expect.arrayContaining(['account.list', 'connections', 'login.list', 'partner.list']));
    for (const name of asked) {
      const answer = await askApi(page.url, name, {}, { operator: 'looker' });
      const schema = body.paths[`/api/${name}`]?.post.responses[answer.status]?.content?.['application/json'].schema;
      // What belongs to the core says so: a sentence, and a status that is described.
      if (answer.status === 400) expect(answer.body).toMatchObject({ code: 'usage', message: expect.stringContaining('core') });
      else expect([answer.status, Schema.Compile(schema ?? false).Check(answer.body)], name).toEqual([200, true]);
    }
  });

  it('has an operation done in the name of the operator, and written down', async () => {
    const item = await world.drop('acme-ab', 'b.xml', '<Invoice>\n<oops>\n');
    await until('its receipt', () => world.files('acme-ab', 'receipts').length === 1);
    const shown = await askApi(page.url, 'item', { item });
    expect(shown).toMatchObject({ status: 200, body: { item, state: 'refused', fileName: 'b.xml' } });
    const { body } = await askApi(page.url, 'resend', { item });
    expect(body).toMatchObject({ sent: [expect.any(String)] });
    const [line = ''] = readFileSync(join(world.data, 'audit', '0000000001.jsonl'), 'utf8').split('\n');
    expect(JSON.parse(line)).toMatchObject({ who: 'actor by the API, from 127.0.0.1', what: 'resend', given: { item } });
  });

  it('says what is wrong with a request', async () => {
    expect(await askApi(page.url, 'item', { item: 'zzzzzzzz' })).toMatchObject({ status: 404, body: { code: 'missing' } });
    expect(await askApi(page.url, 'item', { item: 7 })).toMatchObject({ status: 400, body: { code: 'bad-request' } });
    expect(await askApi(page.url, 'item', {}, { raw: '{"item":' })).toMatchObject({ status: 400, body: { code: 'bad-request' } });
    expect(await askApi(page.url, 'item', {}, { raw: '{"item":"\\u0000"}' })).toMatchObject({ status: 400 });
    expect(await askApi(page.url, 'status', { today: 'soon' })).toMatchObject({ status: 400, body: { code: 'bad-request' } });
    expect(await askApi(page.url, 'item', {}, { operator: 'act\0or' })).toMatchObject({ status: 401, body: { code: 'wrong-credentials' } });
    expect(await askApi(page.url, 'no-such-thing')).toMatchObject({ status: 404, body: { code: 'missing' } });
  });
});
