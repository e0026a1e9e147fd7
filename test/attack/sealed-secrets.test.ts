// Secrets that are moved in a ledger from one row to another, to be used in somebody else's name.
import { beforeEach, describe, expect, it } from 'vitest';
import { updateWebhook, type WebhookChange, webhookWithId } from '#core/ledger/webhooks.ts';
import { signWebhook } from '#core/operate/webhooks.ts';
import { readAccount, updateAccount } from '#gateway/ledger/accounts.ts';
import { putPartnerRow } from '#gateway/ledger/partners.ts';
import { putPartner } from '#gateway/operate/partners.ts';
import { systemRandom } from '#runtime/clock.ts';
import { openSeal } from '#runtime/seal.ts';
import { coreOfTest, type TestCore } from '../support/core.ts';
import type { ScriptedService } from '../support/scripted-service.ts';
import { until } from '../support/until.ts';
import { scripted } from '../support/world/services.ts';
import { startWorld, type World } from '../support/world/world.ts';

describe('of the gateway', () => {
  let service: ScriptedService;
  let world: World<ScriptedService>;
  beforeEach(async () => {
    world = await startWorld(scripted(), { accounts: { mine: 'my-key', theirs: 'their-key' } });
    ({ service } = world);
  });

  const keyOf = (accountRegNo: string) =>
    world.administer(async ({ ledger }) => (await readAccount(ledger.read, accountRegNo))?.serviceKey ?? new Uint8Array());
  const put = (accountRegNo: string, serviceKey: Uint8Array) =>
    world.administer(({ ledger }) => ledger.write([], (rows) => updateAccount(rows, accountRegNo, { serviceKey })));
  /** With which keys it speaks for an account. */
  const spokenBy = async (accountRegNo: string): Promise<string[]> => {
    const before = service.seen.length;
    world.clock.advance(3_600_000);
    const news = () => service.seen.slice(before).filter(({ path }) => path.includes(`/${accountRegNo}/`));
    await until('a poll', () => news().length > 0);
    return [...new Set(news().map(({ headers }) => String(headers.authorization)))];
  };

  it('a key of one account speaks for no other: the start says so', async () => {
    await world.stop();
    await put('mine', await keyOf('theirs'));
    await expect(world.restart()).rejects.toThrow('API key of account mine');
  });

  it('nor while the gateway runs', async () => {
    await put('mine', await keyOf('theirs'));
    // Something else that changes has it read all of them again.
    await world.addAccount('third', 'third-key');
    world.clock.advance(5_000);
    await until('the refusal', () => world.log.some((line) => line.includes('accounts.sealed') && line.includes('"mine"')));
    expect(await spokenBy('third')).toEqual(['ApiKey third-key']);
    expect(service.seen.filter(({ path, headers }) => path.includes('/mine/') && headers.authorization === 'ApiKey their-key')).toEqual([]);
  });

  it('nor does one of an account speak for a partner of the same number', async () => {
    await world.stop();
    await world.administer((on) => putPartner(on, { partnerRegNo: 'mine', serviceKey: 'key-of-the-partner' }));
    const partner = { partnerRegNo: 'mine', serviceKey: await keyOf('mine'), consolidated: false, login: null };
    await world.administer(({ ledger }) => ledger.write([], (rows) => putPartnerRow(rows, partner, 0)));
    await expect(world.restart()).rejects.toThrow('API key of partner mine');
  });
});

describe('of the core', () => {
  const HOOK = { type: 'application/json', method: 'PUT', body: '{"url":"https://erp.example/hook"}' };
  let core: TestCore;
  beforeEach(async () => {
    core = await coreOfTest();
  });

  it('the secret of one webhook signs for no other', async () => {
    const seal = await openSeal(core.sealPath, systemRandom);
    const { ledger } = core.administration;
    const ids: string[] = [];
    for (const name of ['seller', 'buyer'] as const) {
      const answer = await core.call(`/account/${name}/webhook/configure`, { ...HOOK, key: core[name].apiKey });
      ids.push(answer.json.data?.id ?? answer.json.id);
      await signWebhook(core.administration, seal, ids.at(-1) ?? '', true);
    }
    const [mine = '', theirs = ''] = ids;
    const stolen = (await webhookWithId(ledger.read, theirs))?.signing_sealed ?? null;
    const put = (id: string, change: WebhookChange) => ledger.write([], (rows) => updateWebhook(rows, id, change));
    await put(mine, { signing_sealed: stolen });
    await expect(core.restart()).rejects.toThrow(`signing secret of webhook ${mine}`);
    await put(theirs, { signing_sealed: null, auth_sealed: stolen });
    await put(mine, { signing_sealed: null });
    await expect(core.restart()).rejects.toThrow(`authentication of webhook ${theirs}`);
    await put(theirs, { auth_sealed: null });
    await core.restart();
  });
});
