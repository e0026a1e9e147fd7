// Addresses and networks: `10.0.0.5`, `10.1.0.0/16`, `fd00::/8`, and whether an address is among them.
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

/** An IPv4 address in IPv6's clothes counts as what it is. */
export function isWithin(networks: BlockList, address: string): boolean {
  return networks.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

/** Whether only this machine reaches a host: 127.0.0.0/8, ::1 or localhost. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || (isIP(host) !== 0 && isWithin(LOOPBACK, host));
}
