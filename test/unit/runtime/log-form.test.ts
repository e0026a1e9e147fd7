// The form of the log: JSON where no terminal is, and lines for people, in which nothing that clients sent moves a cursor.
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { openLog } from '#runtime/log.ts';
import { logForm, prettyLine } from '#runtime/log-form.ts';

function pretty(facts: object, isColoured = false): string {
  const lines: string[] = [];
  openLog('info', { write: (line) => void lines.push(prettyLine(line, isColoured)) }).warn(facts);
  return lines.join('');
}

it('a line has time of day, level, event and facts', () => {
  const line = pretty({ event: 'sftp.cut', login: 'erp', sentence: 'it was idle', ports: [1, 2], none: null });
  expect(line).toMatch(/^\d\d:\d\d:\d\d\.\d{3} WARN {2}sftp\.cut login=erp sentence="it was idle" ports=\[1,2\] none=null\n$/);
});

it('an error follows on lines of its own, with its cause', () => {
  const err = new Error('it failed', { cause: new Error('the disk is full') });
  const [head, first, ...more] = pretty({ event: 'x', err }).split('\n');
  expect(head).toMatch(/ x$/);
  expect(first).toMatch(/^ {4}Error: it failed/);
  expect(more.join('\n')).toContain('the disk is full');
});

it('what clients sent moves no cursor and begins no line', () => {
  const line = pretty({ event: 'sftp.login', client: 'evil\x1b[2J', name: 'a\nb\u202e', 'bad\x07': '\x9b' });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are the point
  expect(line.trimEnd()).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202e]/);
  expect(line).toContain('client=evil\\u001b[2J');
});

it('colours come only where they are asked for', () => {
  expect(pretty({ event: 'x' })).not.toContain('\x1b');
  expect(pretty({ event: 'x' }, true)).toContain('\x1b[33mWARN \x1b[0m');
});

it('auto is JSON where standard output is no terminal, and the settings win', () => {
  const program = `
    import { logForm } from '#runtime/log-form.ts';
    console.log(['auto', 'json', 'pretty'].map((setting) => logForm(setting, true)).join());`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' });
  expect(stdout.trim()).toBe('json,json,pretty');
  expect(logForm('json', true)).toBe('json');
});
