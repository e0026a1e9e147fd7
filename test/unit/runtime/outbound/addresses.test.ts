// Which addresses may be reached.
import { describe, expect, it } from 'vitest';
import { networksOf } from '#runtime/networks.ts';
import { mayReach } from '#runtime/outbound/addresses.ts';

const exceptions = (allow: readonly string[], deny: readonly string[] = []) => ({ allowed: networksOf(allow), denied: networksOf(deny) });
const NONE = exceptions([]);

describe('without an allow-list', () => {
  it.each(['93.184.215.14', '1.1.1.1', '172.15.255.255', '172.32.0.1', '100.63.255.255', '100.128.0.1', '192.0.1.1', '223.255.255.255'])(
    '%s is public',
    (address) => expect(mayReach(address, NONE)).toBe(true),
  );

  it.each(['2606:4700:4700::1111', '2a00:1450:400f:80d::200e', '64:ff9b::1.1.1.1', '64:ff9b::101:101', '::ffff:1.1.1.1'])(
    '%s is public',
    (address) => expect(mayReach(address, NONE)).toBe(true),
  );

  it.each([
    ['this network', '0.0.0.0', '0.1.2.3'],
    ['private networks', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
    ['loopback', '127.0.0.1', '127.255.255.254', '::1', '::'],
    ['link-local', '169.254.169.254', 'fe80::1', 'febf::1'],
    ['carrier-grade NAT', '100.64.0.1', '100.100.100.200', '100.127.255.255'],
    ['metadata of clouds', '169.254.170.2', '168.63.129.16', 'fd00:ec2::254'],
    ['protocol assignments and documentation', '192.0.0.8', '192.0.2.1', '198.51.100.7', '203.0.113.9', '2001:db8::1', '3fff::1'],
    ['benchmarks', '198.18.0.1', '198.19.255.255'],
    ['multicast, reserved, broadcast', '224.0.0.1', '239.255.255.250', '240.0.0.1', '255.255.255.255', 'ff02::1'],
    ['unique local and site-local', 'fc00::1', 'fdff::1', 'fec0::1'],
    ['IPv4 mapped into IPv6', '::ffff:127.0.0.1', '::ffff:7f00:1', '::FFFF:10.0.0.1', '0:0:0:0:0:ffff:a9fe:a9fe'],
    ['IPv4-compatible, which is history', '::127.0.0.1', '::7f00:1'],
    ['NAT64', '64:ff9b::127.0.0.1', '64:ff9b::a00:1', '64:ff9b::a9fe:a9fe', '64:ff9b:1::a00:1'],
    ['6to4 and Teredo', '2002:7f00:1::', '2002:a00:1::1', '2002:101:101::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2', '192.88.99.1'],
    ['what is not assigned yet', '4000::1', '100::1', '5f00::1'],
    ['what is no address', '', 'localhost', '127.1', 'fe80::1%eth0', '2606:4700::1111%eth0', '1.2.3.4.5', '0x7f000001'],
  ])('%s may not be reached', (_, ...addresses) => {
    for (const address of addresses) expect(mayReach(address, NONE), address).toBe(false);
  });
});

it('an allow-list opens what it names, however the address is written, and nothing else', () => {
  const allowed = exceptions(['10.1.0.0/16', 'fd00:1::/32']);
  for (const address of ['10.1.2.3', '::ffff:10.1.2.3', '64:ff9b::a01:203', 'fd00:1::5', '1.1.1.1'])
    expect(mayReach(address, allowed), address).toBe(true);
  for (const address of ['10.2.0.1', '::ffff:10.2.0.1', '127.0.0.1', 'fd00:2::5']) expect(mayReach(address, allowed), address).toBe(false);
});

it('a deny-list of IPv4 networks closes their addresses however they are written, NAT64 among the ways', () => {
  const denied = exceptions([], ['198.41.0.0/24']);
  for (const address of ['198.41.0.4', '::ffff:198.41.0.4', '::ffff:c629:4', '64:ff9b::198.41.0.4', '64:ff9b::c629:4']) {
    expect(mayReach(address, denied), address).toBe(false);
  }
  for (const address of ['198.41.1.4', '::ffff:198.41.1.4', '64:ff9b::c629:104']) expect(mayReach(address, denied), address).toBe(true);
});

it('a deny-list closes what it names, such as a NAT64 prefix of this network, apart from what is allowed', () => {
  const denied = exceptions(['2a01:4f8:64::a01:203'], ['2a01:4f8:64::/96', '198.41.0.0/24', '64:ff9b::/96']);
  for (const address of ['2a01:4f8:64::a00:1', '198.41.0.4', '::ffff:198.41.0.4', '64:ff9b::101:101']) {
    expect(mayReach(address, denied), address).toBe(false);
  }
  for (const address of ['2a01:4f8:64::a01:203', '2a01:4f8:65::1', '198.41.1.4']) expect(mayReach(address, denied), address).toBe(true);
});
