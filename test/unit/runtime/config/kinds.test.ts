// Settings to the edge of what they may be, and one step beyond it.
import { expect, it } from 'vitest';
import { count, countryCode, duration, hostName, type Kind, nameServers, networks, size, tcpAddress } from '#runtime/config/kinds.ts';

const SOURCES = {
  folder: '/',
  environment: {},
  file: () => {
    throw new Error('nothing is read');
  },
};
const listOf = (length: number, each = '10.0.0.1'): string[] => Array.from({ length }, () => each);
const label = (length: number): string => 'a'.repeat(length);

it.each<[what: string, kind: Kind<unknown>, good: readonly unknown[], bad: readonly unknown[]]>([
  ['numbers', count(2, 5), [2, 5], [1, 6, 2.5, '2', null]],
  ['durations', duration('1s', '1m'), ['1s', '1000ms', '60s', '1m', '60000ms'], ['0s', '999ms', '61s', '60001ms', '1', '1 day', 1]],
  ['sizes', size('1KiB', '1MiB'), ['1024B', '1KiB', '1MiB', '1048576B'], ['1023B', '1kB', '1048577B', '2MiB', '1024', '']],
  [
    'addresses',
    tcpAddress,
    ['a:0', '127.0.0.1:65535', '[::1]:65535'],
    ['a:65536', '127.0.0.1:99999', '[::1]:65536', 'a:', ':1', '::1:1', 'a:-1', 'a:123456'],
  ],
  ['networks', networks, [false, listOf(1), listOf(100), ['10.0.0.0/32']], [true, [], listOf(101), ['10.0.0.0/33'], ['a']]],
  [
    'name servers',
    nameServers,
    [false, listOf(1), listOf(16), ['10.0.0.3:65535'], ['[::1]:53']],
    [true, [], listOf(17), ['10.0.0.3:65536'], ['dns.test']],
  ],
  ['countries', countryCode, ['SE'], ['se', 'SWE', 'S', '']],
  [
    'names in DNS',
    hostName,
    ['a', label(63), `${label(63)}.${label(63)}.${label(63)}.${label(61)}`],
    ['', label(64), `${label(63)}.${label(63)}.${label(63)}.${label(62)}`, 'a..b', '.a', 'a_b'],
  ],
])('%s are taken to their limits, and no further', (_, kind, good, bad) => {
  expect(good.filter((raw) => !('value' in kind.read(raw, SOURCES)))).toEqual([]);
  expect(bad.filter((raw) => 'value' in kind.read(raw, SOURCES))).toEqual([]);
});
