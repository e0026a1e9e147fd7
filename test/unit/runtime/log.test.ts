// Secrets never reach the log, wherever in a line they stand; what is logged stays as it was.
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { openLog } from '#runtime/log.ts';

function lineOf(facts: object): Record<string, unknown> {
  const lines: string[] = [];
  openLog('info', { write: (line) => void lines.push(line) }).info(facts);
  expect(lines).toHaveLength(1);
  return JSON.parse(lines[0] ?? '');
}

it('a secret is cut out of a line, and of what lies one or two steps below it', () => {
  const facts = {
    event: 'x',
    apiKey: 'hush-1',
    request: { headers: { authorization: 'hush-2', accept: '*/*' }, token: 'hush-3' },
    logins: [{ login: 'erp', password: 'hush-4' }],
    at: new Date(0),
  };
  const before = structuredClone(facts);
  expect(lineOf(facts)).toMatchObject({
    event: 'x',
    apiKey: '[secret]',
    request: { headers: { authorization: '[secret]', accept: '*/*' }, token: '[secret]' },
    logins: [{ login: 'erp', password: '[secret]' }],
    at: '1970-01-01T00:00:00.000Z',
  });
  expect(facts).toEqual(before);
});

it.each(['password', 'passwordHash', 'apiKey', 'authorization', 'privateKey', 'secret', 'token', 'passphrase', 'secretKey'])(
  '%s is a secret',
  (name) => {
    const line = lineOf({
      event: 'x',
      [name]: 'hush',
      inside: [{ [name]: { of: 'hush' } }],
      err: Object.assign(new Error('e'), { [name]: 'hush' }),
    });
    expect(line).toMatchObject({ [name]: '[secret]', inside: [{ [name]: '[secret]' }], err: { [name]: '[secret]' } });
    expect(JSON.stringify(line)).not.toContain('hush');
  },
);

it('a secret is cut out of what an error carries, whose sentence and stack are told', () => {
  const error = Object.assign(new Error('no answer'), { code: 'internal', secret: 'hush', request: { authorization: 'hush' } });
  const line = lineOf({ event: 'x', err: error });
  expect(line).toMatchObject({ err: { type: 'Error', message: 'no answer', code: 'internal', request: { authorization: '[secret]' } } });
  expect(JSON.stringify(line)).toContain('log.test.ts');
  expect(JSON.stringify(line)).not.toContain('hush');
});

it.each([null, 'a word', 7])('%s that was thrown in place of an error is told as it is', (thrown) => {
  expect(lineOf({ event: 'x', err: thrown })).toMatchObject({ event: 'x', err: thrown });
});

it.each([
  ['comes to its end', ''],
  ['is left', 'process.exit(0)'],
  ['fails', "throw new Error('on purpose')"],
  ['has written before', "log.flush(); await written(); log.info({ event: '3' }); process.exit(0)"],
])('a program that %s has written all its lines, in their order', (_, end) => {
  const program = `
    import { openLog } from '#runtime/log.ts';
    const log = openLog('info');
    async function written() {
      while (process.getActiveResourcesInfo().includes('FSReqCallback')) await new Promise((turn) => setImmediate(turn));
    }
    for (const event of ['0', '1', '2']) log.info({ event });
    ${end}`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' });
  const events = stdout.split('\n').flatMap((line) => (line ? [JSON.parse(line).event] : []));
  expect(events).toEqual(['0', '1', '2', '3'].slice(0, end.includes('log.info') ? 4 : 3));
});

it('so has a thread of it, whether it comes to its end or fails', () => {
  const thread = (end: string): string => `
    import('#runtime/log.ts').then(({ openLog }) => {
      openLog('info').info({ event: 'seen' });
      ${end}
    });`;
  const program = `
    import { Worker } from 'node:worker_threads';
    for (const code of ${JSON.stringify([thread(''), thread("throw new Error('on purpose')"), thread('process.exit()')])})
      new Worker(code, { eval: true }).on('error', () => undefined);`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' });
  expect(stdout.match(/"event":"seen"/g)).toHaveLength(3);
});
