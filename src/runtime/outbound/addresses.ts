// Which addresses the core may connect to when a client or a peer has named them: public ones, and those that the operator allows.
import { type BlockList, isIP, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { isWithin, lastIpv4, networksOf } from '#runtime/networks.ts';

/** Outside of it no IPv6 address is public, whatever will be assigned there. */
const GLOBAL_IPV6 = networksOf(['2000::/3']);
/** A cloud's platform service on an otherwise public address. */
const PLATFORM = networksOf(['168.63.129.16']);

/** IPv6 addresses that stand for the IPv4 address in their last 32 bits: IPv4-mapped (RFC 4291 §2.5.5.2), and NAT64 (RFC 6052). */
const EMBEDDING = networksOf(['::ffff:0:0/96', '64:ff9b::/96']);

/** The operator's lists: addresses that may be reached though not public, and may not though public; `allowed` goes before `denied`. */
interface Exceptions {
  readonly allowed: BlockList;
  readonly denied: BlockList;
}

/** What cannot be read as an address may not be reached. */
export function mayReach(address: string, { allowed, denied }: Exceptions): boolean {
  // A zone (`fe80::1%eth0`) names a link of this machine.
  if (isIP(address) === 0 || address.includes('%')) return false;
  const target = isIPv6(address) && EMBEDDING.check(address, 'ipv6') ? lastIpv4(address) : address;
  if (isWithin(allowed, target)) return true;
  return !isWithin(denied, target) && !isWithin(denied, address) && isPublic(target);
}

/** Set apart by none of IANA's registries of special-purpose addresses (RFC 6890 and its successors). */
function isPublic(address: string): boolean {
  if (isIPv6(address) ? !isWithin(GLOBAL_IPV6, address) : isWithin(PLATFORM, address)) return false;
  return ipaddr.parse(address).range() === 'unicast';
}
