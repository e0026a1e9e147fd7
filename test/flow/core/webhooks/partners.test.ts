// Subscriptions of partners: of their own, and for each child.
import { beforeEach, describe, expect, it } from 'vitest';
import { addPartner, linkPartner, unlinkPartner, updateCoreAccount, updateCorePartner } from '#core/operate/administration.ts';
import { listWebhooks } from '#core/operate/webhooks.ts';
import type { Receiver } from '../../../support/receiver.ts';
import { hitsOf, ownCore, ownReceiver, type WebhookCore } from '../../../support/webhooks.ts';

let receiver: Receiver;
beforeEach(async () => {
  receiver = await ownReceiver();
});

const hits = (count: number) => hitsOf(receiver, count);

describe('a partner', () => {
  const firmCall = async (core: WebhookCore, key: string, method: string, rest: string, body?: unknown) =>
    core.test.call(`/partner/firm/${rest}`, {
      method,
      key,
      type: 'application/json',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });

  it('S254 has a subscription of its own, which gets the events of the account of its number', async () => {
    const core = await ownCore();
    const { administration } = core.test;
    const { apiKey } = await addPartner(administration, { partnerRegNo: 'firm', name: 'Firm' });
    const { apiKey: alike } = await addPartner(administration, { partnerRegNo: 'buyer', name: 'The buyer as a partner' });
    const answer = await firmCall(core, apiKey, 'PUT', 'webhook/configure', { url: receiver.url });
    expect(answer).toMatchObject({ status: 200, json: { accountRegNo: 'firm' } });
    expect((await firmCall(core, apiKey, 'POST', `webhook/${answer.json.id}/auth`, { type: 'api_key', value: 'k' })).json).toEqual({
      type: 'api_key',
    });
    expect((await firmCall(core, apiKey, 'GET', 'webhook/configure')).json).toMatchObject({ id: answer.json.id, authType: 'api_key' });
    expect((await firmCall(core, apiKey, 'DELETE', `webhook/${answer.json.id}/auth`)).status).toBe(204);
    expect((await firmCall(core, apiKey, 'DELETE', 'webhook/configure')).status).toBe(204);
    expect((await firmCall(core, apiKey, 'GET', 'webhook/configure')).status).toBe(404);
    await core.test.call('/partner/buyer/webhook/configure', {
      method: 'PUT',
      key: alike,
      type: 'application/json',
      body: JSON.stringify({ url: receiver.url }),
    });
    await core.send('1');
    expect((await hits(1))[0]!.json).toMatchObject({ accountRegNo: 'buyer', type: 'new_document' });
  });

  it('S255 S017 has one for each child, beside the child’s own; it ends with the link', async () => {
    const core = await ownCore();
    const { administration } = core.test;
    const { apiKey } = await addPartner(administration, { partnerRegNo: 'firm', name: 'Firm' });
    const ofChild = (method: string, rest: string, body?: unknown) => firmCall(core, apiKey, method, `account/buyer/webhook/${rest}`, body);
    expect(await ofChild('PUT', 'configure', { url: receiver.url })).toMatchObject({ status: 401 });
    await linkPartner(administration, 'firm', 'buyer');
    const own = await core.subscribe('buyer', `${receiver.url}/own`);
    const scoped = await ofChild('PUT', 'configure', { url: `${receiver.url}/firm` });
    expect(scoped).toMatchObject({ status: 200, json: { accountRegNo: 'buyer' } });
    expect(scoped.json.id).not.toBe(own);
    expect((await ofChild('POST', `${own}/auth`, { type: 'api_key', value: 'k' })).status).toBe(404);
    expect((await ofChild('POST', `${scoped.json.id}/auth`, { type: 'api_key', value: 'k' })).status).toBe(200);
    await core.send('1');
    const paths = (await hits(2)).map(({ path, headers }) => [path, headers['x-api-key']]);
    expect(paths.toSorted()).toEqual([
      ['/firm', 'k'],
      ['/own', undefined],
    ]);
    await updateCoreAccount(administration, 'buyer', { features: { apiIntegration: false } });
    expect(await ofChild('GET', 'configure')).toMatchObject({ status: 403 });
    expect(await core.call('buyer', 'GET', 'configure')).toMatchObject({ status: 403 });
    await updateCoreAccount(administration, 'buyer', { features: { apiIntegration: true } });
    await unlinkPartner(administration, 'firm', 'buyer');
    expect(await ofChild('GET', 'configure')).toMatchObject({ status: 401 });
    await core.send('2');
    await hits(3);
    await core.settled();
    expect(receiver.hits.filter(({ path }) => path === '/firm')).toHaveLength(1);
    expect(await listWebhooks(administration)).toMatchObject([{ id: own }]);
  });

  it('that is disabled hears nothing and may do nothing, from that moment on', async () => {
    const core = await ownCore();
    const { administration } = core.test;
    const { apiKey } = await addPartner(administration, { partnerRegNo: 'firm', name: 'Firm' });
    await linkPartner(administration, 'firm', 'buyer');
    const configured = await firmCall(core, apiKey, 'PUT', 'account/buyer/webhook/configure', { url: receiver.url });
    expect(configured.status).toBe(200);
    const { access_token: token } = (
      await core.test.call('/token/firm', {
        method: 'POST',
        key: apiKey,
        type: 'application/json',
        body: '{"actingAs":"parent","forChildRegNo":"buyer"}',
      })
    ).json;
    await updateCorePartner(administration, 'firm', { enabled: false });
    await core.send('1');
    expect(await core.owed()).toEqual([]);
    expect(await firmCall(core, apiKey, 'GET', 'account/buyer/webhook/configure')).toMatchObject({ status: 401 });
    expect(await core.test.call('/token/firm', { key: apiKey })).toMatchObject({ status: 401 });
    const headers = { authorization: `Bearer ${token}` };
    expect(await core.test.call('/transaction/buyer/invoices/incoming', { key: null, headers })).toMatchObject({ status: 401 });
    await updateCorePartner(administration, 'firm', { enabled: true });
    expect(await core.test.call('/transaction/buyer/invoices/incoming', { key: null, headers })).toMatchObject({ status: 200 });
    await core.send('2');
    expect((await hits(1))[0]!.json.data.documentId).toBe('2');
    await expect(updateCorePartner(administration, 'nobody', { enabled: true })).rejects.toMatchObject({ code: 'missing' });
  });
});
