// A partner that takes more than its share: requests by many children, and numbers of companies to come.
import { beforeEach, describe, expect, it } from 'vitest';
import { addAccount, addPartner, linkPartner, takeBack, updateCorePartner } from '#core/operate/administration.ts';
import { listWebhooks } from '#core/operate/webhooks.ts';
import { coreOfTest, type TestCore } from '../support/core.ts';

const PATH = '/partner/firm/account';
const REQUESTS = 5;
const CHILDREN_MAX = 100;

let core: TestCore;
let firm: string;
async function start(requests?: number): Promise<void> {
  core = await coreOfTest(requests === undefined ? {} : { requests });
  firm = (await addPartner(core.administration, { partnerRegNo: 'firm', name: 'Firm' })).apiKey;
}
const json = (body: unknown) => ({ key: firm, type: 'application/json', body: JSON.stringify(body) });
const make = (accountRegNo: string) => core.call(PATH, json({ accountRegNo, name: 'A company to come' }));
const tokenFor = (forChildRegNo: string) => core.call('/token/firm', json({ actingAs: 'parent', forChildRegNo }));
const list = (child: string, token: string) =>
  core.call(`/transaction/${child}/invoices/outgoing`, { key: null, headers: { authorization: `Bearer ${token}` } });

describe('numbers of companies to come', () => {
  beforeEach(() => start());

  it('are reserved up to a limit, which the refusal tells and an administrator can raise', async () => {
    const answers = [];
    for (let at = 0; at < CHILDREN_MAX + 10; at++) answers.push(await make(`company-${at}`));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(CHILDREN_MAX);
    expect(answers.at(-1)).toMatchObject({ status: 422, json: { type: 'E_VALIDATION', metadata: { limit: CHILDREN_MAX } } });
    // A number that is refused is not told from one that is taken.
    expect((await make('seller')).status).toBe(422);
    await addAccount(core.administration, { accountRegNo: `company-${CHILDREN_MAX}`, name: 'The company itself', participants: [] });
    await updateCorePartner(core.administration, 'firm', { childrenMax: CHILDREN_MAX + 1 });
    expect([(await make('one-more')).status, (await make('too-many')).status]).toEqual([200, 422]);
  });

  it('are taken back by an administrator, with all that was made of them', async () => {
    await make('company');
    const { access_token: token } = (await tokenFor('company')).json;
    expect((await list('company', token)).status).toBe(204);
    const hook = { method: 'PUT', type: 'application/json', body: '{"url":"https://firm.example/hook"}' };
    const byChild = { ...hook, key: null, headers: { authorization: `Bearer ${token}` } };
    expect((await core.call('/account/company/webhook/configure', byChild)).status).toBe(200);
    expect((await core.call('/partner/firm/account/company/webhook/configure', { ...hook, key: firm })).status).toBe(200);
    const { apiKey } = await takeBack(core.administration, 'company');
    expect((await list('company', token)).status).toBe(401);
    expect((await tokenFor('company')).status).toBe(401);
    expect((await core.call(PATH, { key: firm })).status).toBe(204);
    expect((await make('company')).status).toBe(409);
    expect((await core.call('/transaction/company/invoices/outgoing', { key: apiKey })).status).toBe(204);
    expect(await listWebhooks(core.administration)).toEqual([]);
  });
});

describe('requests', () => {
  beforeEach(() => start(REQUESTS));

  async function children(count: number): Promise<Map<string, string>> {
    const tokens = new Map<string, string>();
    for (let at = 0; at < count; at++) {
      const accountRegNo = `child-${at}`;
      await addAccount(core.administration, { accountRegNo, name: accountRegNo, participants: [] });
      await linkPartner(core.administration, 'firm', accountRegNo);
      tokens.set(accountRegNo, (await tokenFor(accountRegNo)).json.access_token);
    }
    return tokens;
  }

  it('by the tokens of many children are ten accounts’ in all, beside each child’s own', async () => {
    const tokens = await children(20);
    const answers = [];
    for (let turn = 0; turn < REQUESTS; turn++) {
      for (const [child, token] of tokens) answers.push(await list(child, token));
    }
    const served = answers.filter(({ status }) => status === 204).length;
    // The tokens were asked for by the partner, too.
    expect(served + tokens.size).toBe(10 * REQUESTS);
    expect(answers.at(-1)).toMatchObject({ status: 429, json: { metadata: { limit: 10 * REQUESTS } } });
    expect(answers.at(-1)?.headers.get('ratelimit-limit')).toBe(String(10 * REQUESTS));
    expect((await core.call(PATH, { key: firm })).status).toBe(429);
    // Others are served as ever, and what was refused has cost a child nothing: of each child's five at most two were spent.
    expect((await core.call('/transaction/seller/invoices/outgoing')).status).toBe(204);
    await updateCorePartner(core.administration, 'firm', { requestsMax: 1_000 });
    expect((await list('child-0', tokens.get('child-0') ?? '')).headers.get('ratelimit-remaining')).toBe('2');
  });

  it('that a child’s own budget refuses cost the partner nothing', async () => {
    const [[child, token] = ['', '']] = await children(1);
    for (let turn = 0; turn < 100; turn++) await list(child, token);
    expect(await list(child, token)).toMatchObject({ status: 429, json: { metadata: { limit: REQUESTS } } });
    const { headers } = await core.call(PATH, { key: firm });
    expect(headers.get('ratelimit-remaining')).toBe(String(10 * REQUESTS - 1 - REQUESTS - 1));
  });
});
