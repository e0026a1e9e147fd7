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
});

describe('a word that is no command', () => {
  it.each([
    ['itmes', 'Did you mean items?'],
    ['where', "did you mean 'dropgate find'?"],
    ['logs', 'journalctl'],
  ])('%s is told what was meant', async (word, meant) => {
    const { status, out, err } = await command([word, 'F-42']);
    expect([status, out, err]).toEqual([64, '', expect.stringContaining(meant)]);
  });

  it('and of a group', async () => {
    expect((await command(['account', 'lsit'])).err).toContain('Did you mean list?');
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
