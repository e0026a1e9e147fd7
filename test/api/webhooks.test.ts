// Specification, Webhook endpoints and Webhook subscription: configuring, over HTTP. What is delivered is tested beside a receiver.
import { beforeEach, describe, expect, it } from 'vitest';
import { useService } from '../support/service.ts';

const service = useService();
const URL_OF_EVENTS = 'https://erp.example.com/events';
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const PASSWORD = 'Correct-Horse-7-Battery';

const at = (rest: string): string => `/account/${service.seller.accountRegNo}/webhook/${rest}`;
const call = (method: string, rest: string, body?: unknown) =>
  service.call(at(rest), { method, type: 'application/json', ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
const put = (body: unknown) => call('PUT', 'configure', body);
const read = async () => (await call('GET', 'configure')).json;
/** A new subscription; returns its id. */
const subscribe = async (): Promise<string> => (await put({ url: URL_OF_EVENTS })).json.id;
const auth = async (body: unknown, id?: string) => call('POST', `${id ?? (await subscribe())}/auth`, body);
const VALIDATION = { status: 422, json: { status: 'error', type: 'E_VALIDATION' } };
const MISSING = { status: 404, json: { status: 'error', type: 'E_MISSING' } };

beforeEach(async () => {
  await call('DELETE', 'configure');
});

describe('the subscription', () => {
  it('S120 S074 S259 is created by a PUT with an https url, which returns id, url, types and accountRegNo', async () => {
    const answer = await put({ url: URL_OF_EVENTS });
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({
      id: expect.stringMatching(UUID),
      url: URL_OF_EVENTS,
      types: ['new_document', 'document_delivery'],
      accountRegNo: service.seller.accountRegNo,
    });
  });

  it('S256 S075 S076 S077 S078 S079 S080 S081 is read by a GET', async () => {
    const id = await subscribe();
    const answer = await call('GET', 'configure');
    expect(answer).toMatchObject({
      status: 200,
      json: { id, types: ['new_document', 'document_delivery'], accountRegNo: service.seller.accountRegNo, enabled: true, authType: null },
    });
    expect(new URL(answer.json.url).protocol).toBe('https:');
    for (const time of [answer.json.createdAt, answer.json.updatedAt]) expect(new Date(time).toISOString()).toBe(time);
    await auth({ type: 'api_key', value: 'k' }, id);
    expect(await read()).toMatchObject({ authType: 'api_key' });
  });

  it('S082 S121 S122 S123 is one for an account: a later PUT changes url and types, and keeps the id', async () => {
    const id = await subscribe();
    expect((await put({ url: 'https://other.example.com/', types: ['document_delivery', 'document_delivery'] })).json).toMatchObject({
      id,
      url: 'https://other.example.com/',
      types: ['document_delivery'],
    });
    expect((await put({ url: URL_OF_EVENTS })).json).toMatchObject({ id, url: URL_OF_EVENTS, types: ['document_delivery'] });
    expect(await read()).toMatchObject({ id, url: URL_OF_EVENTS, types: ['document_delivery'] });
  });

  it('S124 S125 S260 is removed by a DELETE, with its authentication', async () => {
    const id = await subscribe();
    await auth({ type: 'api_key', value: 'k' }, id);
    const answer = await call('DELETE', 'configure');
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(await call('GET', 'configure')).toMatchObject(MISSING);
    expect(await call('GET', `${id}/auth`)).toMatchObject(MISSING);
    const again = await subscribe();
    expect(again).not.toBe(id);
    expect(await read()).toMatchObject({ authType: null });
    expect(await call('GET', `${again}/auth`)).toMatchObject(MISSING);
  });

  it('is not there before the first PUT', async () => {
    for (const method of ['GET', 'DELETE']) expect(await call(method, 'configure')).toMatchObject(MISSING);
  });

  it('can be sent back as it was read', async () => {
    await subscribe();
    const { updatedAt, ...told } = await read();
    expect((await put({ ...told, updatedAt })).status).toBe(200);
    expect(await read()).toMatchObject(told);
  });
});

describe('PUT refuses', () => {
  it.each([
    ['S257 no url', {}],
    ['S257 no url, though types are there', { types: ['new_document'] }],
    ['S258 http', { url: 'http://erp.example.com/' }],
    ['S258 another scheme', { url: 'ftp://erp.example.com/' }],
    ['S258 what is no URI', { url: 'erp.example.com/events' }],
    ['S258 a number', { url: 1 }],
    ['user information', { url: 'https://me:secret@erp.example.com/' }],
    ['a password alone', { url: 'https://:secret@erp.example.com/' }],
    ['an address that is not public', { url: 'https://127.0.0.1/' }],
    ['one in other clothes', { url: 'https://[::ffff:10.0.0.1]/' }],
    ['one written as a number', { url: 'https://2130706433/' }],
    ['a very long url', { url: `https://erp.example.com/${'x'.repeat(2_048)}` }],
    ['an unknown type', { url: URL_OF_EVENTS, types: ['new_document', 'other'] }],
    ['no type', { url: URL_OF_EVENTS, types: [] }],
    ['types that are no list', { url: URL_OF_EVENTS, types: 'new_document' }],
    ['a list', []],
  ])('%s', async (_, body) => {
    const answer = await put(body);
    expect(answer).toMatchObject(VALIDATION);
    expect(answer.json.metadata.details.length).toBeGreaterThan(0);
    expect(await call('GET', 'configure')).toMatchObject(MISSING);
  });

  it('what is no JSON, with 400', async () => {
    const answer = await service.call(at('configure'), { method: 'PUT', type: 'application/json', body: '{"url":' });
    expect(answer).toMatchObject({ status: 400, json: { type: 'E_BAD_REQUEST' } });
  });
});

describe('outbound authentication', () => {
  it.each([
    ['S084 oauth', { type: 'oauth', tokenUrl: 'https://login.example.com/token', clientId: 'client', clientSecret: 's3cret' }],
    ['S086 api_key', { type: 'api_key', header: 'X-My-Key', value: 's3cret' }],
    ['S088 api_key without a header', { type: 'api_key', value: 's3cret' }],
    ['S089 basic', { type: 'basic', username: 'me', password: PASSWORD }],
  ])('S095 S126 S261 S263 %s is set and read by its type, and nothing more is told', async (_, body) => {
    const id = await subscribe();
    const { type } = body;
    expect(await auth(body, id)).toMatchObject({ status: 200, text: JSON.stringify({ type }) });
    expect(await call('GET', `${id}/auth`)).toMatchObject({ status: 200, text: JSON.stringify({ type }) });
    const { text } = await call('GET', 'configure');
    expect(JSON.parse(text)).toMatchObject({ authType: type });
    for (const secret of ['s3cret', PASSWORD, 'client"']) expect(text).not.toContain(secret);
  });

  it('a second POST replaces the first', async () => {
    const id = await subscribe();
    await auth({ type: 'api_key', value: 'k' }, id);
    expect(await auth({ type: 'basic', username: 'me', password: PASSWORD }, id)).toMatchObject({ json: { type: 'basic' } });
    expect(await read()).toMatchObject({ authType: 'basic' });
  });

  it('S129 S130 S264 is removed by a DELETE, which keeps the subscription', async () => {
    const id = await subscribe();
    await auth({ type: 'api_key', value: 'k' }, id);
    const answer = await call('DELETE', `${id}/auth`);
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(await call('GET', `${id}/auth`)).toMatchObject(MISSING);
    expect(await read()).toMatchObject({ id, authType: null });
  });

  it.each(['GET', 'POST', 'DELETE'])('S127 %s with another id is refused, and changes nothing', async (method) => {
    await subscribe();
    const other = '3f0c2b9e-6f43-4f5e-9d55-0d6f5a0f8b11';
    const body = method === 'POST' ? { type: 'api_key', value: 'k' } : undefined;
    expect(await call(method, `${other}/auth`, body)).toMatchObject(MISSING);
    expect(await read()).toMatchObject({ authType: null });
  });

  it.each(['GET', 'POST', 'DELETE'])('S262 %s with an id that is no UUID is refused', async (method) => {
    await subscribe();
    const body = method === 'POST' ? { type: 'api_key', value: 'k' } : undefined;
    expect(await call(method, 'not-a-uuid/auth', body)).toMatchObject({ status: 400, json: { type: 'E_BAD_REQUEST' } });
  });

  it.each([
    ['S083 nothing', {}],
    ['S083 no type', { username: 'me', password: PASSWORD }],
    ['S083 an unknown type', { type: 'digest', username: 'me', password: PASSWORD }],
    ['S083 a mix', { type: 'basic', username: 'me', password: PASSWORD, value: 'k' }],
    ['S083 all of them', { type: 'oauth', tokenUrl: URL_OF_EVENTS, clientId: 'c', clientSecret: 's', username: 'me', password: PASSWORD }],
    ['S083 half of one', { type: 'oauth', tokenUrl: URL_OF_EVENTS, clientId: 'c' }],
    ['S083 the fields of another', { type: 'api_key', username: 'me', password: PASSWORD }],
    ['a token server over http', { type: 'oauth', tokenUrl: 'http://login.example.com/', clientId: 'c', clientSecret: 's' }],
    ['a token server that is not public', { type: 'oauth', tokenUrl: 'https://169.254.169.254/', clientId: 'c', clientSecret: 's' }],
    ['a header that is none', { type: 'api_key', header: 'X Key', value: 'k' }],
    ['a header of ours', { type: 'api_key', header: 'Webhook-Id', value: 'k' }],
    ['a value with a line end', { type: 'api_key', value: 'k\r\nX-Other: 1' }],
    ['a name with a colon', { type: 'basic', username: 'me:you', password: PASSWORD }],
    ['a list', []],
  ])('%s is refused', async (_, body) => {
    const id = await subscribe();
    const answer = await auth(body, id);
    expect(answer).toMatchObject(VALIDATION);
    expect(answer.json.metadata.details.length).toBeGreaterThan(0);
    expect(await read()).toMatchObject({ authType: null });
  });

  it.each([
    ['S321 shorter than 16 characters', 'Short-1-passwor', ['password-length']],
    ['S091 without an uppercase letter', 'correct-horse-7-battery', ['password-uppercase']],
    ['S092 without a lowercase letter', 'CORRECT-HORSE-7-BATTERY', ['password-lowercase']],
    ['S093 without a digit', 'Correct-Horse-Battery', ['password-digit']],
    ['S094 without a special character', 'CorrectHorse7Battery', ['password-special']],
    ['everything at once', '', ['password-length', 'password-uppercase', 'password-lowercase', 'password-digit', 'password-special']],
  ])('a basic password %s is refused, and is not repeated', async (_, password, rules) => {
    const answer = await auth({ type: 'basic', username: 'me', password });
    expect(answer).toMatchObject(VALIDATION);
    expect(answer.json.metadata.details.map(({ rule }: { rule: string }) => rule)).toEqual(rules);
    if (password !== '') expect(answer.text).not.toContain(password);
  });

  it('S321 16 characters are enough', async () => {
    expect((await auth({ type: 'basic', username: 'me', password: 'Exactly-16-chars' })).status).toBe(200);
  });
});

describe('who may', () => {
  it.each([
    ['GET', 'configure'],
    ['PUT', 'configure'],
    ['DELETE', 'configure'],
    ['GET', '3f0c2b9e-6f43-4f5e-9d55-0d6f5a0f8b11/auth'],
    ['POST', '3f0c2b9e-6f43-4f5e-9d55-0d6f5a0f8b11/auth'],
    ['DELETE', '3f0c2b9e-6f43-4f5e-9d55-0d6f5a0f8b11/auth'],
  ])('S269 %s %s needs an Authorization header, of the account in the path', async (method, rest) => {
    const body = method === 'GET' || method === 'DELETE' ? {} : { body: '{}', type: 'application/json' };
    const none = await service.call(at(rest), { method, key: null, ...body });
    expect(none).toMatchObject({ status: 401, json: { type: 'E_UNAUTHORIZED_CLIENT' } });
    const foreign = await service.call(at(rest), { method, key: service.buyer.key, ...body });
    expect(foreign).toMatchObject({ status: 401, json: { type: 'E_CLIENT_UNSUCCESSFUL_AUTHENTICATION' } });
  });

  it('a token does as well as a key', async () => {
    await subscribe();
    const { accountRegNo, key } = service.seller;
    const { json } = await service.call(`/token/${accountRegNo}`, { key });
    const answer = await service.call(at('configure'), { key: null, headers: { authorization: `Bearer ${json.access_token}` } });
    expect(answer.status).toBe(200);
  });
});
