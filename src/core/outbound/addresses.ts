// Which addresses the core may connect to when somebody else has named them: public ones, and those that the operator allows.
import { type BlockList, isIP, isIPv6 } from 'node:net';
import { isWithin, lastIpv4, networksOf } from '#runtime/networks.ts';

/** Special-purpose IPv4 (IANA registry, RFC 6890 and its successors). */
// biome-ignore format: one row, one network
const SPECIAL_IPV4 = networksOf([
  '0.0.0.0/8',          // this network, RFC 791
  '10.0.0.0/8',         // private, RFC 1918
  '100.64.0.0/10',      // carrier-grade NAT, RFC 6598; a cloud's metadata too
  '127.0.0.0/8',        // loopback
  '168.63.129.16/32',   // a cloud's platform service on an otherwise public address
  '169.254.0.0/16',     // link-local, RFC 3927; metadata of most clouds
  '172.16.0.0/12',      // private, RFC 1918
  '192.0.0.0/24',       // IETF protocol assignments, RFC 6890
  '192.0.2.0/24',       // documentation, RFC 5737
  '192.88.99.0/24',     // 6to4 relays, RFC 7526
  '192.168.0.0/16',     // private, RFC 1918
  '198.18.0.0/15',      // benchmarks, RFC 2544
  '198.51.100.0/24',    // documentation, RFC 5737
  '203.0.113.0/24',     // documentation, RFC 5737
  '224.0.0.0/4',        // multicast
  '240.0.0.0/4',        // reserved, and broadcast
]);

/** Global unicast; what lies outside (loopback, unique local, link-local, multicast, whatever comes) is never public. */
const GLOBAL_IPV6 = networksOf(['2000::/3']);
/** Exceptions within it. */
// biome-ignore format: one row, one network
const SPECIAL_IPV6 = networksOf([
  '2001::/23',          // IETF protocol assignments, RFC 2928; Teredo and ORCHID among them
  '2001:db8::/32',      // documentation, RFC 3849
  '2002::/16',          // 6to4, RFC 7526: an IPv4 address inside, reached over who knows whose relay
  '3fff::/20',          // documentation, RFC 9637
]);

/** Addresses that are an IPv4 address in other clothes: the last 32 bits say which. */
const MAPPED = networksOf(['::ffff:0:0/96', '64:ff9b::/96']);

/** The operator's lists: what may be reached though it is not public, and what may not though it is; the first goes before the second. */
export interface Exceptions {
  readonly allowed: BlockList;
  readonly denied: BlockList;
}

/** What cannot be read as an address may not be reached. */
export function mayReach(address: string, { allowed, denied }: Exceptions): boolean {
  const judged = plain(address);
  if (judged === null) return false;
  if (isWithin(allowed, judged)) return true;
  if (isWithin(denied, judged) || isWithin(denied, address)) return false;
  return isIPv6(judged) ? isWithin(GLOBAL_IPV6, judged) && !isWithin(SPECIAL_IPV6, judged) : !isWithin(SPECIAL_IPV4, judged);
}

/** The address that is really meant: IPv4 out of its IPv6 clothes (RFC 4291 §2.5.5.2, RFC 6052), null when there is no telling. */
function plain(address: string): string | null {
  // A zone (`fe80::1%eth0`) names a link of this machine.
  if (isIP(address) === 0 || address.includes('%')) return null;
  return isIPv6(address) && MAPPED.check(address, 'ipv6') ? lastIpv4(address) : address;
}
