// `dropgate partner` on real ledgers: beside a core, and at a gateway that knows nothing of a remote service but the partner's API key.
import { existsSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { testSite } from '../../support/site.ts';
import type { CommandResult } from '../../support/terminal.ts';

const site = testSite();
const { at, run, done } = site;

describe('in front of a remote service', () => {
  beforeEach(() => site.configure('role: gateway\nservice: {url: "https://x.example"}'));

  it('a partner and its children are known by the partner’s key alone', async () => {
    const added = await run('partner add 5569999999 --remote --api-key-stdin --login firm --json', 'the-key');
    expect(JSON.parse(added.out)).toEqual({ partnerRegNo: '5569999999', login: 'firm', password: expect.any(String) });
    expect(await run('partner children 5569999999')).toMatchObject({
      out: '',
      err: `There are no children of it in ${at('data')}.`,
    });
    const linked = await run('partner link 5569999999 5567321707 --folder acme-ab --participant 0007:5567321707');
    expect(linked.out).toBe(done('Partner 5569999999 may act for 5567321707, and login firm sees its home'));
    await run('partner link 5569999999 5561234567');
    expect((await run('partner children 5569999999')).out.split('\n')).toEqual([
      '5561234567\t5561234567\tlinked\t',
      '5567321707\tacme-ab\tlinked\t0007:5567321707',
    ]);
    expect((await run('login list')).out).toBe('firm\tactive\tpassword\t5561234567=5561234567,acme-ab=5567321707');
    expect((await run('partner list')).out).toBe('5569999999\t\t5561234567,5567321707');
    expect((await run('partner rotate-key 5569999999 --api-key-stdin', 'another')).out).toContain('uses the new key');
  });

  it('a folder has one name for good, and none that another has, whatever the case', async () => {
    await run('partner add firm --remote --api-key-stdin --login firm', 'the-key');
    await run('partner link firm 1 --folder Acme');
    expect((await run('partner link firm 1')).status).toBe(0);
    expect((await run('partner link firm 1 --folder other')).err).toContain("sees 1 in the folder 'Acme' already, and that stays so");
    expect(await run('partner link firm 2 --folder aCME')).toMatchObject({
      status: 73,
      err: expect.stringContaining("has a folder 'Acme' already, of 1"),
    });
    for (const bad of ['..', 'a/b', 'con', '-', 'ä']) {
      expect(await run(`partner link firm 2 --folder ${bad}`)).toMatchObject({ status: 64 });
    }
    expect((await run('partner children firm')).out.split('\n')).toEqual(['1\tAcme\tlinked\t']);
  });

  it('a child that was unlinked keeps its folder for when it is linked again', async () => {
    await run('partner add firm --remote --api-key-stdin --login firm', 'the-key');
    await run('partner link firm 1 --folder acme');
    expect((await run('partner unlink firm 1')).out).toBe(
      done('Partner firm may act for 1 no more, and login firm no longer sees its home'),
    );
    expect((await run('partner children firm')).out).toBe('1\tacme\tunlinked\t');
    expect((await run('partner unlink firm 1')).status).toBe(66);
    expect((await run('partner link firm 2 --folder acme')).status).toBe(73);
    expect((await run('partner link firm 1')).status).toBe(0);
    expect((await run('partner children firm')).out).toBe('1\tacme\tlinked\t');
  });

  it('a consolidated partner has one home, which its login sees at the top', async () => {
    await run('partner add firm --remote --api-key-stdin --login firm --consolidated', 'the-key');
    await run('partner link firm 1 --participant 0088:7300010000001');
    await run('partner link firm 2 --participant 0088:7350000000016');
    expect((await run('login list')).out).toBe('firm\tactive\tpassword\tfirm');
    expect(existsSync(at('data/homes/firm/inbox'))).toBe(true);
    expect(existsSync(at('data/homes/1'))).toBe(false);
    expect(await run('partner link firm 3 --participant 0088:7350000000016')).toMatchObject({
      status: 73,
      err: expect.stringContaining('0088:7350000000016 is the address of account 2'),
    });
  });

  it('no account gets into the home of a partner’s children by its number', async () => {
    await run('partner add pool --remote --api-key-stdin --consolidated', 'the-key');
    await run('partner add firm --remote --api-key-stdin --login firm', 'the-key');
    const sentence = "names the home of a partner's children";
    expect((await run('account add pool --remote --api-key-stdin --login other', 'a-key')).err).toContain(sentence);
    expect((await run('partner link firm pool')).err).toContain(sentence);
    await run('account add own --remote --api-key-stdin --login own', 'a-key');
    expect((await run('partner add own --remote --api-key-stdin --consolidated', 'a-key')).err).toContain(
      'is an account with a home here already',
    );
    expect((await run('login list')).out.split('\n')).toEqual(['firm\tactive\tpassword\t', 'own\tactive\tpassword\town']);
  });

  it('an account that gets a key of its own stays where its files are, until it is unlinked', async () => {
    await run('partner add pool --remote --api-key-stdin --login pool --consolidated', 'the-key');
    await run('partner add firm --remote --api-key-stdin --login firm', 'the-key');
    await run('partner link pool 1');
    await run('account rotate-key 1 --api-key-stdin', 'a-key');
    expect((await run('partner children pool')).out).toBe('1\t\tlinked\t');
    await run('partner unlink pool 1');
    await run('partner link firm 1 --folder one-ab');
    expect((await run('login list')).out.split('\n')).toEqual(['firm\tactive\tpassword\tone-ab=1', 'pool\tactive\tpassword\tpool']);
    expect(existsSync(at('data/homes/1/inbox'))).toBe(true);
  });

  it('an account of another partner stays there', async () => {
    for (const partner of ['one', 'two']) await run(`partner add ${partner} --remote --api-key-stdin --login ${partner}`, 'the-key');
    await run('partner link one 1');
    expect((await run('partner link two 1')).err).toContain('is a child of partner one here; unlink it there first');
    await run('partner unlink one 1');
    expect((await run('partner link two 1')).status).toBe(0);
    expect((await run('partner children one')).out).toBe('');
    // Nor does the login of the first see what is the second's now.
    expect((await run('login list')).out.split('\n')).toEqual(['one\tactive\tpassword\t', 'two\tactive\tpassword\t1=1']);
    await run('partner unlink two 1');
    await run('account add 1 --remote --api-key-stdin --login own', 'a-key');
    expect((await run('login list')).out.split('\n')[2]).toBe('two\tactive\tpassword\t');
    expect((await run('partner children two')).out).toBe('');
  });

  it('a partner is removed: its children are nobody’s, and may be another’s', async () => {
    for (const partner of ['one', 'pool']) {
      const consolidated = partner === 'pool' ? ' --consolidated' : '';
      await run(`partner add ${partner} --remote --api-key-stdin --login ${partner}${consolidated}`, 'the-key');
    }
    await run('partner link one 1 --folder first');
    await run('partner link pool 2');
    expect((await run('partner remove one')).out).toBe(
      `${done('Partner one was removed')}\nLogin one is still there; 'dropgate login remove one' removes it.`,
    );
    expect((await run('partner remove one')).status).toBe(66);
    expect((await run('login list')).out.split('\n')[0]).toBe('one\tactive\tpassword\t');
    expect((await run('partner link pool 1')).status).toBe(0);
    expect((await run('partner remove pool')).status).toBe(0);
    expect((await run('login list')).out.split('\n')[1]).toBe('pool\tactive\tpassword\t');
    expect((await run('partner list')).out).toBe('');
  });

  it('a partner whose login is removed has none, and gets another', async () => {
    await run('partner add firm --remote --api-key-stdin --login firm', 'the-key');
    await run('login remove firm');
    await run('login add other');
    expect((await run('partner set firm --login nobody')).err).toContain('There is no login nobody');
    expect((await run('partner set firm --login other')).status).toBe(0);
    expect((await run('partner link firm 1')).out).toContain('login other sees its home');
  });

  it.each([
    ['partner link firm 1', 66, 'Partner firm is not known on this gateway'],
    ['partner children firm', 66, 'Partner firm is not known on this gateway'],
    ['partner unlink firm 1', 66, 'is no child of partner firm here'],
    ['partner add firm --remote', 64, 'needs --api-key-stdin'],
    ['partner add firm --name Firm', 64, 'give --remote'],
    ['partner add firm --remote --api-key-stdin --public-key x', 64, 'belongs to a login'],
    ['partner rotate-key firm', 64, 'give --api-key-stdin'],
    ['partner add firm --remote --api-key-stdin --children-max 5', 64, 'kept by its service'],
    ['partner set firm', 64, 'Give --name, --login, --requests or --children-max'],
    ['partner set firm --requests none', 64, "--requests must be a whole number from 1 to 10000000, or 'default', not 'none'"],
  ])('%s → %i', async (line, status, sentence) => {
    const result = await run(line, 'the-key');
    expect(result.err).toContain(sentence);
    expect(result.status).toBe(status);
  });
});

describe('beside a core', () => {
  beforeEach(() => site.configure(''));

  it('children have the addresses that the core knows; one with a home of its own goes on with its own key', async () => {
    await run('account add 1 --name One --participant 0088:7300010000001');
    await run('account add 2 --name Two --participant 0088:7350000000016 --login two');
    const added = JSON.parse((await run('partner add firm --name Firm --login firm --json')).out);
    expect(added).toEqual({ partnerRegNo: 'firm', apiKey: expect.any(String), login: 'firm', password: expect.any(String) });
    await run('partner link firm 1 --folder one-ab');
    await run('partner link firm 2 --folder two-ab');
    expect((await run('partner children firm')).out.split('\n')).toEqual([
      '1\tone-ab\tlinked\t0088:7300010000001',
      '2\ttwo-ab\tlinked\t0088:7350000000016',
    ]);
    expect((await run('partner unlink firm 2')).out).toContain('and login firm no longer sees its home');
    expect((await run('login list')).out.split('\n')).toEqual(['firm\tactive\tpassword\tone-ab=1', 'two\tactive\tpassword\t2']);
  });

  it('an account with a home of its own fits into no home of several', async () => {
    await run('account add 1 --name One --login one');
    await run('partner add firm --name Firm --login firm --consolidated');
    expect((await run('partner link firm 1')).err).toContain('has a home of its own here');
  });

  it('a partner is disabled, and enabled again', async () => {
    await run('partner add firm --name Firm');
    expect((await run('partner disable firm')).out).toBe(done('Partner firm is disabled'));
    expect(JSON.parse((await run('partner list --json')).out)).toMatchObject({ enabled: false });
    expect((await run('partner enable firm')).out).toBe(done('Partner firm is enabled'));
    expect(await run('partner disable other')).toMatchObject({ status: 66 });
  });

  it('a child that leaves its partner goes on by itself, with a login and a key of its own', async () => {
    await run('account add 1 --name One');
    await run('partner add firm --name Firm --login firm');
    await run('partner link firm 1 --folder one-ab');
    await run('partner unlink firm 1');
    await run('login add one --account 1');
    expect((await run('login list')).out.split('\n')).toEqual(['firm\tactive\tpassword\t', 'one\tactive\tpassword\t1']);
    expect((await run('partner children firm')).out).toBe('');
    expect((await run('export')).out).toContain('key: own');
  });

  it('a partner is removed from both sides, with keys, links and subscriptions', async () => {
    await run('account add 1 --name One');
    await run('partner add firm --name Firm --login firm');
    await run('partner add api --name Api');
    await run('partner link firm 1');
    await run('partner set firm --name Firma');
    expect((await run('partner list')).out.split('\n')).toEqual(['api\tApi\t', 'firm\tFirma\t1']);
    expect((await run('partner remove firm')).out).toContain(done('Partner firm was removed'));
    expect((await run('partner remove api')).out).toBe(done('Partner api was removed'));
    expect((await run('partner list')).out).toBe('');
    expect((await run('partner remove api')).status).toBe(66);
  });

  it('a partner has limits of its own, or the usual ones; export and apply keep them', async () => {
    await run('partner add firm --name Firm --requests 50000 --children-max 3');
    const limits = async () => JSON.parse((await run('partner list --json')).out);
    expect(await limits()).toMatchObject({ requestsMax: 50_000, childrenMax: 3 });
    const exported = (await run('export')).out;
    expect((await run('partner set firm --children-max default --requests 7')).status).toBe(0);
    expect(await limits()).toMatchObject({ requestsMax: 7, childrenMax: null });
    writeFileSync(at('limits.yaml'), exported);
    expect((await run(`apply ${at('limits.yaml')}`)).err).toBe('');
    expect(await limits()).toMatchObject({ requestsMax: 50_000, childrenMax: 3 });
  });

  it('an account is taken back from its partners: here, too, nobody sees it through them', async () => {
    await run('account add 1 --name One');
    await run('partner add firm --name Firm --login firm');
    await run('partner add api --name Api');
    for (const partner of ['firm', 'api']) await run(`partner link ${partner} 1`);
    const { status, out } = await run('account take-back 1');
    expect([status, out]).toEqual([0, expect.stringContaining('No partner may act for 1 any more')]);
    expect(out).toMatch(/New API key, shown once: dg_test_/);
    expect((await run('partner list')).out.split('\n')).toEqual(['api\tApi\t', 'firm\tFirm\t']);
    expect((await run('partner children firm')).out).toBe('1\t1\tunlinked\t');
    expect((await run('login add one --account 1')).status).toBe(0);
    expect((await run('login list')).out.split('\n')).toEqual(['firm\tactive\tpassword\t', 'one\tactive\tpassword\t1']);
    expect(await run('account take-back 2')).toMatchObject({ status: 66 });
  });

  it('a folder that nobody would see is refused', async () => {
    await run('account add 1 --name One');
    await run('partner add firm --name Firm');
    expect((await run('partner link firm 1 --folder acme')).err).toContain('give --login');
  });
});

describe('apply and export', () => {
  const remote = (): void => site.configure('role: gateway\nservice: {url: "https://x.example"}');
  const beside = (data: string): void => site.configure('', data);
  const apply = (declaration: string): Promise<CommandResult> => {
    writeFileSync(at('partners.yaml'), declaration);
    return run(`apply ${at('partners.yaml')}`);
  };

  it('make a partner with its children, beside a core, the same elsewhere, and nothing the second time', async () => {
    beside('data');
    const declaration = `
accounts:
  - {accountRegNo: "1", name: One, participants: ["0088:7300010000001"]}
  - {accountRegNo: "2", name: Two, participants: ["0088:7350000000016"]}
  - {accountRegNo: "3", name: Three}
logins:
  - {login: firm}
  - {login: pool}
partners:
  - {partnerRegNo: api-only, name: Only, accounts: ["1"]}
  - {partnerRegNo: firm, name: Firm, login: firm, accounts: [{accountRegNo: "1", folder: one-ab}]}
  - {partnerRegNo: pool, name: Pool, login: pool, consolidated: true, accounts: ["2", "3"]}
`;
    const first = await apply(declaration);
    const [told, ...keys] = first.out.split('\n').reverse();
    expect([first.err, keys.length]).toEqual(['', 6]);
    expect(told).toContain('partner api-only, partner firm, partner pool, home of 1');
    expect((await run('partner children firm')).out).toBe('1\tone-ab\tlinked\t0088:7300010000001');
    expect((await run('partner children pool')).out.split('\n')).toEqual(['2\t\tlinked\t0088:7350000000016', '3\t\tlinked\t']);
    expect((await run('login list')).out).toContain('pool\tactive\t\tpool');
    const exported = (await run('export')).out;
    expect(await apply(declaration)).toEqual({ status: 0, out: '', err: '' });
    expect((await run('export')).out).toBe(exported);
    beside('other');
    expect((await apply(exported)).err).toBe('');
    expect((await run('export')).out).toBe(exported);
  });

  it('an address that is added to an account later is known for its folder, too', async () => {
    beside('data');
    await apply(
      'accounts: [{accountRegNo: "1", name: One}]\nlogins: [{login: firm}]\npartners: [{partnerRegNo: firm, name: F, login: firm, accounts: ["1"]}]\n',
    );
    expect((await run('partner children firm')).out).toBe('1\t1\tlinked\t');
    await apply('accounts: [{accountRegNo: "1", name: One, participants: ["0088:7300010000001"]}]\n');
    expect((await run('partner children firm')).out).toBe('1\t1\tlinked\t0088:7300010000001');
  });

  it('in front of a remote service declare the children of a partner whose key is here', async () => {
    remote();
    const declaration =
      'partners: [{partnerRegNo: firm, accounts: [{accountRegNo: "1", folder: one-ab, participants: ["0088:7300010000001"]}]}]\n';
    expect((await apply(declaration)).err).toContain('The API key of partner firm is not here');
    await run('partner add firm --remote --api-key-stdin --login firm', 'the-key');
    const made = `Made in ${at('data')}: home of 1, sight of 1 for login firm.`;
    expect(await apply(declaration)).toEqual({ status: 0, out: made, err: '' });
    expect((await run('partner children firm')).out).toBe('1\tone-ab\tlinked\t0088:7300010000001');
    const exported = (await run('export')).out;
    expect(exported).not.toContain('the-key');
    expect((await apply(exported)).err).toBe('');
    expect((await run('export')).out).toBe(exported);
  });
});
