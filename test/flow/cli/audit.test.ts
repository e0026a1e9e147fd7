// The audit trail by commands: what people do is written down with what it has changed, without secrets, and what is changed in it shows.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { describe, expect, it } from 'vitest';
import { auditVerify } from '#operations/audit-verify.ts';
import { loadConfig } from '#runtime/config/file.ts';
import { testSite } from '../../support/site.ts';

const site = testSite();
const trail = (): string => site.at('data', 'audit', '0000000001.jsonl');
const acts = async (): Promise<Record<string, unknown>[]> =>
  (await site.run('audit list --json')).out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

async function begin(): Promise<void> {
  await site.run('account add 5567321707 --name Acme --login acme --password-stdin', 'a long enough password 1');
  await site.run('account disable 5567321707');
  await site.run('login set-password acme --password-stdin', 'another long password 2');
}

describe('dropgate audit', () => {
  it('lists who has done what, and what it has changed', async () => {
    await begin();
    const [password, disabled, added] = await acts();
    expect(added).toMatchObject({ sequence: 1, who: expect.stringContaining(userInfo().username), what: 'account add' });
    expect(added).toMatchObject({ before: { 'account 5567321707': null }, after: { 'account 5567321707': { name: 'Acme' } } });
    expect(disabled).toMatchObject({ what: 'account disable', given: { accountRegNo: '5567321707' } });
    expect(disabled).toMatchObject({
      before: { 'account 5567321707': { enabled: true } },
      after: { 'account 5567321707': { enabled: false } },
    });
    expect(JSON.stringify(password)).toMatch(/"passwordHash":"secret [0-9a-f]{12}"/);
    expect((await site.run('audit list --limit 1')).out.split('\t')).toHaveLength(5);
  });

  it('looking at the rules of receiving is no act; what is none of an account is told by its word', async () => {
    await begin();
    expect((await site.run('account receiving 5567321707 --archive none --keep-outbox forever')).out).toBe(
      '5567321707\tkeepOutbox=forever\tarchive=none',
    );
    const before = await acts();
    expect((await site.run('account receiving 5567321707')).out).toContain('archive=none');
    expect(await acts()).toEqual(before);
  });

  it('holds no secret', async () => {
    const { out } = await site.run('account add 5567321707 --name Acme --json');
    await begin();
    const { apiKey } = JSON.parse(out);
    const text = readFileSync(trail(), 'utf8');
    expect(text).not.toContain(apiKey);
    expect(text).not.toMatch(/long enough password|another long password|argon2|scrypt/);
  });

  it('holds no private key that somebody gave for a public one, and of a chosen password no digest to guess it by', async () => {
    await begin();
    const key = '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk\n-----END OPENSSH PRIVATE KEY-----\n';
    writeFileSync(site.at('id'), key);
    expect((await site.run(`login add-key acme ${site.at('id')}`)).err).toContain('is a private key');
    const [failed, password] = await acts();
    expect(failed).toMatchObject({ what: 'login add-key', given: { login: 'acme', publicKeys: 'secret' } });
    expect(password).toMatchObject({ what: 'login set-password', given: { password: 'secret' } });
  });

  it('tells what failed, and nothing of what only looks', async () => {
    await begin();
    await site.run('account list');
    await site.run('items');
    expect((await site.run('cancel abcdefgh')).status).not.toBe(0);
    expect((await acts()).map(({ what, failed }) => [what, failed])).toEqual([
      ['cancel', "There is no item abcdefgh; 'dropgate items' lists them."],
      ['login set-password', undefined],
      ['account disable', undefined],
      ['account add', undefined],
    ]);
  });

  it('a trail that is shorter than the daemon has seen it is not whole', async () => {
    await begin();
    const { config } = loadConfig(site.config, undefined);
    const mac = /MAC ([0-9a-f]{64})/.exec((await site.run('audit verify')).out)?.[1] ?? '';
    const running = { gateway: null, core: null, activity: null, trail: { last: () => ({ sequence: 3, mac }) } };
    const on = { config, caller: 'somebody', running, progress: () => undefined };
    expect(await auditVerify.run(on, {})).toMatchObject({ lines: 3, broken: null });
    renameSync(site.at('data', 'audit'), site.at('elsewhere'));
    expect(await auditVerify.run(on, {})).toMatchObject({ lines: 0, broken: expect.stringContaining('before its first line') });
  });

  it('verifies the trail, and names the first line that was changed', async () => {
    await begin();
    const whole = await site.run('audit verify');
    expect(whole).toMatchObject({
      status: 0,
      out: expect.stringMatching(/^The audit trail is whole: 3 lines, the last one is line 3, with the MAC [0-9a-f]{64} \(in /),
    });
    const mac = /MAC ([0-9a-f]{64})/.exec(whole.out)?.[1] ?? '';
    const text = readFileSync(trail(), 'utf8');
    writeFileSync(trail(), text.replace('account disable', 'account enable'));
    expect(await site.run('audit verify')).toMatchObject({ status: 1, out: expect.stringContaining('Line 2 of audit/0000000001.jsonl') });
    writeFileSync(trail(), `${text.split('\n').slice(0, 2).join('\n')}\n`);
    expect((await site.run('audit verify')).status).toBe(0);
    expect(await site.run(`audit verify --last ${mac}`)).toMatchObject({ status: 1, out: expect.stringContaining('its end was cut off') });
  });
});
