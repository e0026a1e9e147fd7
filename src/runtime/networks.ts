// Addresses and networks: `10.0.0.5`, `10.1.0.0/16`, `fd00::/8`, whether an address is among them, and who it counts as.
import { BlockList, isIP, isIPv6 } from 'node:net';

const LOOPBACK = networksOf(['127.0.0.0/8', '::1']);

/** The networks as one list; throws a RangeError that names the one that is none. */
export function networksOf(texts: readonly string[]): BlockList {
  const list = new BlockList();
  for (const text of texts) {
    const [address = '', bits, ...rest] = text.split('/');
    const version = isIP(address);
    const bitsMax = version === 6 ? 128 : 32;
    if (version === 0 || rest.length > 0 || (bits !== undefined && (!/^\d{1,3}$/.test(bits) || Number(bits) > bitsMax))) {
      throw new RangeError(`'${text}' is no address or network`);
    }
    list.addSubnet(address, bits === undefined ? bitsMax : Number(bits), version === 6 ? 'ipv6' : 'ipv4');
  }
  return list;
}

/** The networks of a setting that may change while the process runs; false are none. */
export function networksNow(setting: () => readonly string[] | false): () => BlockList {
  let texts = setting();
  let list = networksOf(texts || []);
  return () => {
    if (setting() !== texts) {
      texts = setting();
      list = networksOf(texts || []);
    }
    return list;
  };
}

/** IPv4-mapped IPv6 addresses (`::ffff:a.b.c.d`) match as IPv4. */
export function isWithin(networks: BlockList, address: string): boolean {
  return networks.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

/** Whether only this machine reaches a host: 127.0.0.0/8, ::1 or localhost. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || (isIP(host) !== 0 && isWithin(LOOPBACK, host));
}

const MAPPED = networksOf(['::ffff:0:0/96']);

/** IPv4-mapped IPv6 addresses (RFC 4291 §2.5.5.2), however they are written, as IPv4; everything else as it is. */
export function plainAddress(address: string): string {
  return isIPv6(address) && MAPPED.check(address, 'ipv6') ? lastIpv4(address) : address;
}

/** The IPv4 address in the last 32 bits of an IPv6 address. */
export function lastIpv4(address: string): string {
  const [high = 0, low = 0] = groupsOf(address).slice(-2);
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** Who an address counts as where there are limits: itself, or for IPv6 its /64, of which one customer has all addresses. */
export function sourceOf(address: string): string {
  const plain = plainAddress(address);
  if (!isIPv6(plain)) return plain;
  const groups = groupsOf(plain).slice(0, 4);
  return `${groups.map((group) => group.toString(16)).join(':')}::/64`;
}

/** The eight 16-bit groups of an IPv6 address, however it is written; a zone (`%eth0`) counts for nothing. */
function groupsOf(address: string): number[] {
  const [bare = ''] = address.split('%', 1);
  // A URL writes it in one way: hexadecimal, lower case, `::` once at the most.
  const [head = '', tail] = new URL(`http://[${bare}]/`).hostname.slice(1, -1).split('::');
  const numbers = (text: string): number[] => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)));
  const [first, last] = [numbers(head), numbers(tail ?? '')];
  return [...first, ...Array.from({ length: 8 - first.length - last.length }, () => 0), ...last];
}
