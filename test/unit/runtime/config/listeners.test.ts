// Where the SFTP server listens, as the configuration says it.
import { describe, expect, it } from 'vitest';
import { endOfDay } from '#domain/day.ts';
import { readConfig } from '#runtime/config/config.ts';
import { listenersOf } from '#runtime/config/listeners.ts';

const sources = { folder: '/srv', file: () => '', environment: {} };
const listeners = (text: string) => listenersOf(readConfig({ name: 'test.yaml', text, sources }).config.sftp);

it('there is one, unless more are named', () => {
  const usual = { listen: { host: '127.0.0.1', port: 2222 }, profile: 'compat', legacyUntil: null, proxies: false };
  expect(listeners('')).toEqual([usual]);
  const text = `sftp:
  profile: strict
  moreListeners:
    - {listen: '0.0.0.0:2223', profile: legacy, legacyUntil: 2027-03-31}
    - {listen: '[::1]:2224', proxies: [10.0.0.5]}
`;
  expect(listeners(text)).toEqual([
    { ...usual, profile: 'strict' },
    { listen: { host: '0.0.0.0', port: 2223 }, profile: 'legacy', legacyUntil: Date.parse('2027-04-01T00:00:00Z'), proxies: false },
    { ...usual, listen: { host: '::1', port: 2224 }, proxies: ['10.0.0.5'] },
  ]);
});

describe('is refused', () => {
  it.each([
    ['sftp: {profile: legacy}', 'sftp.profile does not fit: legacyUntil is missing: profile legacy needs a last day, such as 2027-03-31'],
    ['sftp: {legacyUntil: 2027-03-31}', 'legacyUntil belongs to profile legacy'],
    ['sftp: {profile: legacy, legacyUntil: 2027-02-30}', 'sftp.legacyUntil must be a day such as 2027-03-31'],
    ['sftp: {moreListeners: true}', 'sftp.moreListeners must be a list of at most 16 listeners'],
    ['sftp: {moreListeners: [2223]}', '(number 1) must hold listen, profile, legacyUntil, proxies, and nothing else'],
    [
      'sftp: {moreListeners: [{listen: "1.2.3.4:22", port: 1}]}',
      '(number 1) must hold listen, profile, legacyUntil, proxies, and nothing else',
    ],
    ['sftp: {moreListeners: [{profile: compat}]}', '(number 1) listen must be HOST:PORT'],
    ['sftp: {moreListeners: [{listen: "1.2.3.4:22", profile: legacy}]}', '(number 1) legacyUntil is missing'],
    ['sftp: {moreListeners: [{listen: "1.2.3.4:22", proxies: [x]}]}', '(number 1) proxies must be false, or a list'],
  ])('%s', (text, sentence) => {
    expect(() => listeners(text)).toThrow(sentence);
  });
});

it.each([
  ['2027-03-31', '2027-04-01T00:00:00.000Z'],
  ['2028-02-29', '2028-03-01T00:00:00.000Z'],
])('%s has ended at %s', (day, end) => {
  expect(new Date(endOfDay(day) ?? 0).toISOString()).toBe(end);
});

it.each(['', '2027-02-29', '2027-13-01', '31.03.2027', '2027-3-1', '2027-03-31T00:00:00Z'])("'%s' is no day", (text) => {
  expect(endOfDay(text)).toBeUndefined();
});
