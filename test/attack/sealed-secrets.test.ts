// Secrets that are moved in a ledger from one row to another, to be used in somebody else's name.
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { signWebhook } from '#core/operate/webhooks.ts';
import { putPartner } from '#gateway/operate/partners.ts';
import { systemRandom } from '#runtime/clock.ts';
import { openSeal } from '#runtime/seal.ts';
import { startTestCore, type TestCore } from '../support/core.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { type ScriptedService, startScriptedService } from '../support/scripted-service.ts';
import { until } from '../support/until.ts';

describe('of the gateway', () => {
  let service: ScriptedService;
  let world: TestGateway;
  beforeEach(async () => {
    service = await startScriptedService();
    world = await startTestGateway({ url: service.url, accounts: { mine: 'my-key', theirs: 'their-key' } });
    onTestFinished(async () => {
      await world[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
    });
  });

  const keyOf = (accountRegNo: string) =>
    world.administer(async ({ ledger }) => {
      const rows = ledger.read.selectFrom('accounts').select('service_key').where('account_reg_no', '=', accountRegNo);
      return (await rows.executeTakeFirstOrThrow()).service_key ?? new Uint8Array();
    });
  const put = (accountRegNo: string, service_key: Uint8Array) =>
    world.administer(({ ledger }) =>
      ledger.write([], (rows) => rows.updateTable('accounts').set({ service_key }).where('account_reg_no', '=', accountRegNo).execute()),
    );
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
    world.clock.advance(2_000);
    await until('the refusal', () => world.log.some((line) => line.includes('accounts.sealed') && line.includes('"mine"')));
    expect(await spokenBy('third')).toEqual(['ApiKey third-key']);
    expect(service.seen.filter(({ path, headers }) => path.includes('/mine/') && headers.authorization === 'ApiKey their-key')).toEqual([]);
  });

  it('nor does one of an account speak for a partner of the same number', async () => {
    await world.stop();
    await world.administer((on) => putPartner(on, { partnerRegNo: 'mine', serviceKey: 'key-of-the-partner' }));
    const service_key = await keyOf('mine');
    await world.administer(({ ledger }) => ledger.write([], (rows) => rows.updateTable('partners').set({ service_key }).execute()));
    await expect(world.restart()).rejects.toThrow('API key of partner mine');
  });
});

describe('of the core', () => {
  const HOOK = { type: 'application/json', method: 'PUT', body: '{"url":"https://erp.example/hook"}' };
  let core: TestCore;
  beforeEach(async () => {
    core = await startTestCore();
    onTestFinished(() => core[Symbol.asyncDispose]());
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
    const { signing_sealed } = await ledger.read
      .selectFrom('webhooks')
      .select('signing_sealed')
      .where('id', '=', theirs)
      .executeTakeFirstOrThrow();
    await ledger.write([], (rows) => rows.updateTable('webhooks').set({ signing_sealed }).where('id', '=', mine).execute());
    await expect(core.restart()).rejects.toThrow(`signing secret of webhook ${mine}`);
    await ledger.write([], (rows) =>
      rows.updateTable('webhooks').set({ signing_sealed: null, auth_sealed: signing_sealed }).where('id', '=', theirs).execute(),
    );
    await ledger.write([], (rows) => rows.updateTable('webhooks').set({ signing_sealed: null }).where('id', '=', mine).execute());
    await expect(core.restart()).rejects.toThrow(`authentication of webhook ${theirs}`);
    await ledger.write([], (rows) => rows.updateTable('webhooks').set({ auth_sealed: null }).execute());
    await core.restart();
  });
});
