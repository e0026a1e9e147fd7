// The guard: connections that check the address that they really go to, after the name was resolved and before a packet is sent.
import { Resolver } from 'node:dns/promises';
import { isIP, isIPv6, type LookupFunction } from 'node:net';
import { createSecureContext, getCACertificates } from 'node:tls';
import { Agent, buildConnector } from 'undici';
import { AppError } from '#domain/error.ts';
import { networksOf } from '#runtime/networks.ts';
import { mayReach } from './addresses.ts';

export interface OutboundSettings {
  /** Addresses and networks that may be reached though they are not public; false is none. */
  readonly allow: readonly string[] | false;
  /** PEM: authorities to trust beside the usual ones. */
  readonly ca: string | null;
  /** DNS servers, `ADDRESS` or `ADDRESS:PORT`; false are those of the system. */
  readonly dns: readonly string[] | false;
}

export interface Guard {
  /** The addresses of a name, or the one that it is; none of them is forbidden. Throws `forbidden`, `missing`, `internal`. */
  readonly resolve: (host: string) => Promise<string[]>;
  /** What the host of a URL says by itself: an address that is forbidden. A name is judged when it is connected to. */
  readonly forbids: (host: string) => boolean;
  /** Connections for HTTP and HTTPS. Close it. */
  readonly agent: Agent;
}

/** Below the ten seconds that a whole request has, so that no connection outlives the request that it was made for. */
const CONNECT_MS_MAX = 8_000;
const DNS_MS_MAX = 3_000;
const DNS_TRIES = 2;
const HEADER_BYTES_MAX = 16 * 1024;

export function openGuard({ allow, ca, dns }: OutboundSettings): Guard {
  const allowed = networksOf(allow || []);
  // Not the system's lookup: that one holds a thread for as long as a dead name server takes.
  const resolver = new Resolver({ timeout: DNS_MS_MAX, tries: DNS_TRIES });
  if (dns) resolver.setServers(dns);

  async function resolve(host: string): Promise<string[]> {
    const literal = literalOf(host);
    const addresses = literal === null ? await addressesOf(resolver, host) : [literal];
    // One that is forbidden condemns the name: whoever mixes them has no good in mind.
    const forbidden = addresses.find((address) => !mayReach(address, allowed));
    if (forbidden === undefined) return addresses;
    throw new AppError('forbidden', `The address ${forbidden} is not public, and outbound.allow does not name it.`);
  }

  return {
    resolve,
    forbids(host) {
      const literal = literalOf(host);
      return literal !== null && !mayReach(literal, allowed);
    },
    agent: new Agent({ connect: connectorOf(resolve, ca), ...AGENT_LIMITS }),
  };
}

/** The address that a host is; null when it is a name. */
function literalOf(host: string): string | null {
  const bare = host.replace(/^\[|\]$/g, '');
  return isIP(bare) === 0 ? null : bare;
}

const AGENT_LIMITS = {
  allowH2: false,
  maxHeaderSize: HEADER_BYTES_MAX,
  // Whoever sends a request sets its time.
  headersTimeout: 0,
  bodyTimeout: 0,
} as const;

/** Every connection resolves anew and is checked anew: a name that pointed elsewhere a moment ago gains nothing by that. */
function connectorOf(resolve: Guard['resolve'], ca: string | null): buildConnector.connector {
  const lookup: LookupFunction = (host, _options, done) => {
    resolve(host).then(
      (addresses) =>
        done(
          null,
          inTurns(addresses).map((address) => ({ address, family: isIPv6(address) ? 6 : 4 })),
        ),
      (error: unknown) => done(error instanceof Error ? error : new Error('the name was not resolved'), []),
    );
  };
  const connect = buildConnector({
    allowH2: false,
    timeout: CONNECT_MS_MAX,
    lookup,
    autoSelectFamily: true,
    // One for all connections: to make one takes as long as a handshake.
    secureContext: createSecureContext(ca === null ? {} : { ca: [...getCACertificates('default'), ca] }),
  });
  return (options, done) => {
    // A literal address is never looked up, so it is checked here.
    const literal = literalOf(options.hostname);
    if (literal === null) return connect(options, done);
    resolve(literal).then(
      () => connect({ ...options, hostname: literal }, done),
      (error: unknown) => done(error instanceof Error ? error : new Error('the address was not checked'), null),
    );
  };
}

async function addressesOf(resolver: Resolver, host: string): Promise<string[]> {
  const found = await Promise.allSettled([resolver.resolve6(host), resolver.resolve4(host)]);
  const addresses = found.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
  if (addresses.length > 0) return addresses;
  const reasons: unknown[] = found.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  const technical = reasons.find((reason) => !saysThereIsNone(reason));
  if (technical === undefined) throw new AppError('missing', `The name ${host} has no address.`);
  throw new AppError('internal', `The name ${host} cannot be resolved now.`, { cause: technical });
}

function saysThereIsNone(reason: unknown): boolean {
  return reason instanceof Error && 'code' in reason && (reason.code === 'ENOTFOUND' || reason.code === 'ENODATA');
}

/** IPv6 and IPv4 in turns, as whoever tries them one after the other wants them (RFC 8305 §4). */
function inTurns(addresses: readonly string[]): string[] {
  const [six, four] = [addresses.filter((address) => isIPv6(address)), addresses.filter((address) => !isIPv6(address))];
  return Array.from({ length: Math.max(six.length, four.length) }, (_, at) => [six[at], four[at]])
    .flat()
    .filter((each) => each !== undefined);
}
