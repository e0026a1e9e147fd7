// Secrets never reach the log, wherever in a line they stand; what is logged stays as it was.
import { expect, test } from 'vitest';
import { openLog } from '#runtime/log.ts';

function lineOf(facts: object): Record<string, unknown> {
  const lines: string[] = [];
  openLog('info', { write: (line) => void lines.push(line) }).info(facts);
  expect(lines).toHaveLength(1);
  return JSON.parse(lines[0] ?? '');
}

test('a secret is cut out of a line, and of what lies one or two steps below it', () => {
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

test('a secret is cut out of what an error carries, whose sentence and stack are told', () => {
  const error = Object.assign(new Error('no answer'), { code: 'internal', secret: 'hush', request: { authorization: 'hush' } });
  const line = lineOf({ event: 'x', err: error });
  expect(line).toMatchObject({ err: { type: 'Error', message: 'no answer', code: 'internal', request: { authorization: '[secret]' } } });
  expect(JSON.stringify(line)).toContain('log.test.ts');
  expect(JSON.stringify(line)).not.toContain('hush');
});

test.each([null, 'a word', 7])('%s that was thrown in place of an error is told as it is', (thrown) => {
  expect(lineOf({ event: 'x', err: thrown })).toMatchObject({ event: 'x', err: thrown });
});
