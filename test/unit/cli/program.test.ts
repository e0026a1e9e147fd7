// The program around the commands: help in groups, words that were meant, completion.
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { command } from '../../support/terminal.ts';

describe('help', () => {
  it('shows commands in groups, each with what it does', async () => {
    const { status, out } = await command(['--help']);
    expect(status).toBe(0);
    for (const group of ['Documents:', 'Accounts:', 'Daemon:', 'Ledgers and archive:', 'Tools:']) expect(out).toContain(`\n${group}\n`);
    expect(out).toMatch(/ {2}items {2,}list dropped files/);
  });

  it('of one command shows its options, also by the word help', async () => {
    expect((await command(['items', '--help'])).out).toContain('--state');
    expect((await command(['help', 'account'])).out).toContain('add [options] <accountRegNo>');
  });

  it('shows no earlier spelling, which is understood', async () => {
    const { out } = await command(['login', 'change', '--help']);
    expect(out).toContain('Usage: dropgate login set [options] <login>');
    expect((await command(['login', '--help'])).out).not.toContain('|change');
  });
});

describe('a word that is no command', () => {
  it.each([
    ['itmes', 'items'],
    ['where', 'find'],
    ['items list', 'items'],
    ['items show', 'item'],
    ['item show', 'item'],
    ['account lsit', 'account list'],
    ['account create', 'account add'],
    ['account new', 'account add'],
    ['account delete', 'account remove'],
    ['account rm', 'account remove'],
    ['login delete', 'login remove'],
    ['login update', 'login set'],
    ['login edit', 'login set'],
    ['login passwd', 'login set-password'],
    ['webhook delete', 'webhook remove'],
    ['webhook retry', 'webhook replay'],
    ['partner create', 'partner add'],
    ['audit show', 'audit list'],
    ['help account create', 'account add'],
  ])('%s is told what was meant: %s', async (words, meant) => {
    const given = words.replace('help ', '');
    expect(await command([...words.split(' '), 'F-42'])).toEqual({
      status: 64,
      out: '',
      err: `dropgate: There is no command '${given}'; did you mean 'dropgate ${meant}'?`,
    });
  });

  it.each([['account create'], ['account eraze'], ['login remote'], ['partner unlike'], ['constructor'], ['account constructor']])(
    '%s leads to nothing that takes something away',
    async (words) => {
      const { status, err } = await command([...words.split(' '), '1']);
      expect([status, err]).toEqual([64, expect.not.stringMatching(/erase|remove|unlink|take-back/)]);
    },
  );

  it('that looks like none is told where they stand', async () => {
    expect((await command(['xyzzy'])).err).toBe("dropgate: There is no command 'xyzzy'; 'dropgate --help' shows what there is.");
    expect((await command(['login', 'xyzzy'])).err).toContain("'dropgate login --help' shows what there is.");
  });

  it('and is no matter of the program is told whose it is', async () => {
    expect(await command(['logs'])).toMatchObject({ status: 64, err: expect.stringContaining('journalctl') });
  });
});

describe('completion in bash', () => {
  it.each([
    ['acc', 'account'],
    ['account en', 'enable'],
    ['items --acc', '--account'],
    ['-c /etc/dropgate.yaml login lis', 'list'],
    ['items nothing', ''],
  ])('dropgate %s → %s', async (typed, completed) => {
    const { out } = await command(['completion', 'bash']);
    const words = ['dropgate', ...typed.split(' ')];
    const asked = `${out}\nCOMP_WORDS=(${words.join(' ')})\nCOMP_CWORD=${words.length - 1}\n_dropgate\nprintf '%s' "\${COMPREPLY[*]}"`;
    expect(execFileSync('bash', ['-c', asked], { encoding: 'utf8' })).toBe(completed);
  });
});

it.each(['zsh', 'fish'])('completion for %s names the same commands', async (shell) => {
  const { out } = await command(['completion', shell]);
  for (const words of ['/account/add', '/login/list', '--state']) expect(out).toContain(words);
});

it('a shell that there is no completion for is refused', async () => {
  expect((await command(['completion', 'cmd'])).status).toBe(64);
});
