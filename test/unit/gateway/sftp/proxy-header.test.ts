// The PROXY header, versions 1 and 2: complete, in pieces, false, and at random.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readProxyHeader } from '#gateway/sftp/proxy-header.ts';

const v2 = (command: number, family: number, rest: Buffer | string, length?: number): Buffer => {
  const bytes = typeof rest === 'string' ? Buffer.from(rest, 'hex') : rest;
  const head = Buffer.from('0d0a0d0a000d0a515549540a00000000', 'hex');
  head[12] = command;
  head[13] = family;
  head.writeUInt16BE(length ?? bytes.length, 14);
  return Buffer.concat([head, bytes]);
};
const IPV4 = 'c0000207cb007105d4310016';
const IPV6 = `20010db8000000000000000000000007${'00'.repeat(16)}d4310016`;

it.each([
  ['TCP4', Buffer.from('PROXY TCP4 192.0.2.7 203.0.113.5 54321 22\r\n'), '192.0.2.7'],
  ['TCP6', Buffer.from('PROXY TCP6 2001:db8::7 2001:db8::1 54321 22\r\n'), '2001:db8::7'],
  ['TCP6, IPv4 as IPv6', Buffer.from('PROXY TCP6 ::ffff:192.0.2.7 ::ffff:203.0.113.5 54321 22\r\n'), '192.0.2.7'],
  ['TCP6, IPv4 as IPv6 in groups', Buffer.from('PROXY TCP6 ::FFFF:c000:207 ::ffff:cb00:7105 54321 22\r\n'), '192.0.2.7'],
  ['TCP6, IPv4 as IPv6 at length', Buffer.from('PROXY TCP6 0:0:0:0:0:ffff:c000:0207 ::1 54321 22\r\n'), '192.0.2.7'],
  ['UNKNOWN', Buffer.from('PROXY UNKNOWN\r\n'), null],
  ['UNKNOWN with more', Buffer.from('PROXY UNKNOWN ffff::1 ffff::2 1 2\r\n'), null],
  ['version 2, IPv4', v2(0x21, 0x11, IPV4), '192.0.2.7'],
  ['version 2, IPv4 with more behind the addresses', v2(0x21, 0x11, `${IPV4}0400020000`), '192.0.2.7'],
  ['version 2, IPv6', v2(0x21, 0x21, IPV6), '2001:db8:0:0:0:0:0:7'],
  ['version 2, IPv4 as IPv6', v2(0x21, 0x21, `00000000000000000000ffffc0000207${'00'.repeat(16)}d4310016`), '192.0.2.7'],
  ['version 2, a health check', v2(0x20, 0x11, IPV4), null],
  ['version 2, a unix socket', v2(0x21, 0x31, Buffer.alloc(216)), null],
])('%s names the client, and everything behind it is left', (_what, header, address) => {
  expect(readProxyHeader(Buffer.concat([header, Buffer.from('SSH-2.0-x\r\n')]))).toEqual({ is: 'there', bytes: header.length, address });
  for (let end = 0; end < header.length; end++) expect(readProxyHeader(header.subarray(0, end)).is).toBe('unfinished');
});

describe('is none', () => {
  it.each([
    ['SSH', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['an address of another family', 'PROXY TCP4 2001:db8::7 2001:db8::1 1 2\r\n'],
    ['no address', 'PROXY TCP4 example.com 192.0.2.1 1 2\r\n'],
    ['a line that does not end', `PROXY TCP4 ${'1'.repeat(120)}`],
    ['another family', 'PROXY UDP4 192.0.2.7 192.0.2.1 1 2\r\n'],
    ['no ports', 'PROXY TCP4 192.0.2.7\r\n'],
  ])('%s', (_what, text) => {
    expect(readProxyHeader(Buffer.from(text))).toEqual({ is: 'none' });
  });

  it.each([
    ['another version', v2(0x11, 0x11, IPV4)],
    ['another command', v2(0x22, 0x11, IPV4)],
    ['a length beyond all use', v2(0x21, 0x11, IPV4, 60_000)],
  ])('version 2 with %s', (_what, bytes) => {
    expect(readProxyHeader(bytes)).toEqual({ is: 'none' });
  });
});

it('reads anything without throwing', () => {
  const starts = fc.constantFrom(Buffer.alloc(0), Buffer.from('PROXY '), Buffer.from('0d0a0d0a000d0a515549540a', 'hex'));
  fc.assert(
    fc.property(starts, fc.uint8Array({ maxLength: 200 }), (start, bytes) => {
      expect(['there', 'unfinished', 'none']).toContain(readProxyHeader(Buffer.concat([start, bytes])).is);
    }),
  );
});
