// Connects for HTTP and HTTPS, and checks each address after its name was resolved and before a packet is sent.
import type { Resolver } from 'node:dns/promises';
import { connect, isIP, isIPv6, type LookupFunction, type Socket } from 'node:net';
import { createSecureContext, getCACertificates, connect as startTls } from 'node:tls';
import type { Agent, buildConnector } from 'undici';
import { AppError } from '#domain/error.ts';
import type { Clock } from '#runtime/clock.ts';
import { networksNow } from '#runtime/networks.ts';
import { mayReach } from './addresses.ts';
import { shareProbes } from './probes.ts';
import { reasonOf } from './reason.ts';
import { openResolver, saysThereIsNone } from './resolver.ts';

export interface OutboundSettings {
  /** Addresses and networks that may be reached though they are not public; false is none. */
  readonly allow: readonly string[] | false;
  /** Addresses and networks that may not be reached though they are public; false is none. */
  readonly deny: readonly string[] | false;
  /** PEM: authorities to trust beside the usual ones. */
  readonly ca: string | null;
  /** DNS servers, `ADDRESS` or `ADDRESS:PORT`; false are those of the system. */
  readonly dns: readonly string[] | false;
}

interface Guard {
  /** Whether the host of a URL is an address that is forbidden. A name is judged when it is connected to. */
  readonly forbids: (host: string) => boolean;
  /** Connections for HTTP and HTTPS; throws `internal` when they have been cut. What makes them is loaded when the first request goes out. */
  readonly agent: () => Promise<Agent>;
  /** Cuts every connection, also those that are being opened. */
  readonly close: () => Promise<void>;
}

/** The addresses of a host, of which none is forbidden. Throws `forbidden`, `missing`, `internal`. */
type Resolve = (host: string) => Promise<string[]>;

/** Below the ten seconds that a whole request has, so that no connection outlives the request that it was made for. */
const CONNECT_MS_MAX = 8_000;
const TOO_LONG = `There was no connection within ${CONNECT_MS_MAX} ms.`;
const KEEP_ALIVE_AFTER_MS = 60_000;
const HEADER_BYTES_MAX = 16 * 1024;

/** `allow` and `deny` of the settings may change meanwhile. */
export function openGuard(settings: OutboundSettings, clock: Clock): Guard {
  const { ca, dns } = settings;
  const allowed = networksNow(() => settings.allow);
  const denied = networksNow(() => settings.deny);
  const isForbidden = (address: string): boolean => !mayReach(address, { allowed: allowed(), denied: denied() });
  // Not dns.lookup: it holds a thread for as long as a dead name server takes.
  const resolver = openResolver(dns);

  const resolve: Resolve = async (host) => {
    const literal = literalOf(host);
    const addresses = literal === null ? await addressesOf(resolver, host) : [literal];
    // One forbidden address is enough to refuse the name: only an attacker mixes forbidden and public addresses.
    const forbidden = addresses.find(isForbidden);
    if (forbidden === undefined) return addresses;
    throw new AppError('forbidden', `The address ${forbidden} is not public, or outbound.deny names it, and outbound.allow does not.`);
  };

  const opening = new Set<Opening>();
  let agent: Promise<Agent> | null = null;
  let closed = false;
  const openAgent = async (): Promise<Agent> => {
    const undici = await import('undici');
    return new undici.Agent({ connect: shareProbes(connectorOf(resolve, ca, clock, opening)), ...AGENT_LIMITS });
  };
  return {
    async agent() {
      if (closed) throw stopping();
      agent ??= openAgent();
      return agent;
    },
    async close() {
      closed = true;
      resolver.cancel();
      const destroyed = agent?.then((opened) => opened.destroy());
      for (const attempt of opening) attempt.cut(stopping());
      await destroyed;
    },
    forbids(host) {
      const literal = literalOf(host);
      return literal !== null && isForbidden(literal);
    },
  };
}

function stopping(): AppError {
  return new AppError('internal', 'This service is stopping.');
}

/** The address that a host is; null when it is a name. */
function literalOf(host: string): string | null {
  const bare = host.replace(/^\[|\]$/g, '');
  return isIP(bare) === 0 ? null : bare;
}

const AGENT_LIMITS = {
  allowH2: false,
  maxHeaderSize: HEADER_BYTES_MAX,
  // Each request sets its own timeout.
  headersTimeout: 0,
  bodyTimeout: 0,
} as const;

/** A connection that is being opened. */
interface Opening {
  readonly cut: (error: Error) => void;
}

/** Resolves and checks the name again for every connection, so that a name cannot change its address after the check (DNS rebinding). */
function connectorOf(resolve: Resolve, ca: string | null, clock: Clock, opening: Set<Opening>): buildConnector.connector {
  const lookup: LookupFunction = (host, _options, done) => {
    resolve(host).then(
      (addresses) => done(null, inTurns(addresses).map(withFamily)),
      (error: unknown) => done(error instanceof Error ? error : new Error('the name was not resolved'), []),
    );
  };
  // One for all connections: making one takes as long as a handshake.
  const secureContext = createSecureContext(ca === null ? {} : { ca: [...getCACertificates('default'), ca] });

  return (options, done) => {
    const host = literalOf(options.hostname) ?? options.hostname;
    const isTls = options.protocol === 'https:';
    // A certificate for an address is checked against the address, which SNI does not carry (RFC 6066 §3).
    const servername = options.servername || (isIP(host) === 0 ? host : '');
    const failed = (error: unknown): void => done(unreachable(error), null);
    // A literal address is never looked up, so it is checked here.
    const checked = isIP(host) === 0 ? Promise.resolve() : resolve(host);
    checked.then(() => {
      const plain = connect({ host, port: Number(options.port) || (isTls ? 443 : 80), lookup, autoSelectFamily: true });
      plain.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_AFTER_MS);
      let socket: Socket = plain;
      const attempt = { cut: (error: Error) => socket.destroy(error) };
      opening.add(attempt);
      const timer = clock.after(CONNECT_MS_MAX, () => attempt.cut(new AppError('internal', TOO_LONG)));
      const settle = (error: Error | null): void => {
        timer[Symbol.dispose]();
        opening.delete(attempt);
        if (error) failed(error);
        else done(null, socket);
      };
      ready(plain, 'connect', (error) => {
        if (error || !isTls) return settle(error);
        // Only after TCP is connected, so that a dead address costs no TLS context.
        socket = startTls({ socket: plain, secureContext, servername, host });
        ready(socket, 'secureConnect', settle);
      });
    }, failed);
  };
}

/** Calls once, with the error when the socket failed before it was ready. */
function ready(socket: Socket, event: 'connect' | 'secureConnect', done: (error: Error | null) => void): void {
  socket.once('error', done);
  socket.once(event, () => {
    socket.off('error', done);
    done(null);
  });
}

/** The error as an AppError which says that nothing was sent. */
function unreachable(error: unknown): AppError {
  const extra = { cause: error, facts: { unreachable: true } };
  if (error instanceof AppError) return new AppError(error.code, error.message, extra);
  return new AppError('internal', `There was no connection: ${reasonOf(error)}.`, extra);
}

function withFamily(address: string): { address: string; family: 4 | 6 } {
  return { address, family: isIPv6(address) ? 6 : 4 };
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

/** IPv6 and IPv4 alternate, in the order in which they are tried (RFC 8305 §4). */
function inTurns(addresses: readonly string[]): string[] {
  const [six, four] = [addresses.filter((address) => isIPv6(address)), addresses.filter((address) => !isIPv6(address))];
  return Array.from({ length: Math.max(six.length, four.length) }, (_, at) => [six[at], four[at]])
    .flat()
    .filter((each) => each !== undefined);
}
