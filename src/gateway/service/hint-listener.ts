// The listener for hints: the service posts that something is new, and we look. Nothing of what it posts is believed beyond that.
import { hash, timingSafeEqual } from 'node:crypto';
import { FAMILY_NAMES, type FamilyName, isFamilyName } from '#domain/family.ts';
import { parsedJson } from '#domain/json.ts';
import type { Clock } from '#runtime/clock.ts';
import type { TcpAddress } from '#runtime/config/kinds.ts';
import type { Tls } from '#runtime/config/tls.ts';
import { createHttpServer, type HttpOptions, listenHttp } from '#runtime/http/server.ts';
import type { Log } from '#runtime/log.ts';
import type { LogThrottle } from '#runtime/log-throttle.ts';
import { sourceOf } from '#runtime/networks.ts';
import { openRateLimit } from '#runtime/rate-limit.ts';

export const HINT_HEADER = 'x-dropgate-hint';

const BODY_BYTES_MAX = 64 * 1024;
const PATH = /^\/hints\/([A-Za-z0-9._-]{1,64})$/;
const TIMEOUTS = { headers: 10_000, request: 10_000 } as const;
/** Refusals of one address; requests that prove themselves do not count. */
const STRANGERS = { perSecond: 1, burst: 60 } as const;
/** No secret has this digest. */
const NO_DIGEST = '0'.repeat(64);

export interface ListenSettings {
  /** Null listens nowhere. */
  readonly listen: TcpAddress | null;
  readonly tls: Tls | null;
  readonly behindProxy: readonly string[] | false;
}

/** Something may be new for the account. */
export type HintRing = (accountRegNo: string, family: FamilyName) => void;

export interface ListenParts {
  readonly listen: TcpAddress;
  /** Certificate and proxies may change meanwhile. */
  readonly settings: Pick<ListenSettings, 'tls' | 'behindProxy'>;
  /** The digest of the account's secret; undefined when its service has none. */
  readonly secretOf: (accountRegNo: string) => Promise<string | undefined>;
  readonly ring: HintRing;
  readonly clock: Clock;
  readonly log: Log;
  /** For lines that strangers cause. */
  readonly throttle: LogThrottle;
}

interface Listener {
  readonly url: string;
  close(): Promise<void>;
}

/** Throws `usage` or `locked` when it cannot listen. */
export async function startListening({ listen, settings, secretOf, ring, clock, log, throttle }: ListenParts): Promise<Listener> {
  const strangers = openRateLimit(clock, () => STRANGERS);
  const lines = throttle.lines(log, ({ address }) => ({ session: null, by: { address: sourceOf(String(address)) } }));
  const options: HttpOptions = {
    listen,
    bodyMax: BODY_BYTES_MAX,
    timeouts: TIMEOUTS,
    section: 'hints',
    get tls() {
      return settings.tls;
    },
    get behindProxy() {
      return settings.behindProxy;
    },
  };
  const server = createHttpServer(options, {
    contentTypes: ['application/json'],
    // A stranger learns nothing.
    answerError: async (_error, _request, reply) => reply.status(400).send(),
    answerMalformed: async () => 'HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n',
  });
  // Before any byte of the body is read.
  server.addHook('onRequest', async (request, reply) => {
    if (!strangers.take(request.ip)) return reply.status(429).header('retry-after', '1').send();
    const accountRegNo = accountIn(request.url);
    const given = request.headers[HINT_HEADER];
    const digest = (accountRegNo === undefined ? undefined : await secretOf(accountRegNo)) ?? NO_DIGEST;
    if (isSecret(typeof given === 'string' ? given : '', digest)) return strangers.giveBack(request.ip);
    lines.warn({ event: 'hints.refused', address: request.ip });
    return reply.status(401).send();
  });
  server.post('/hints/*', async (request, reply) => {
    const accountRegNo = accountIn(request.url) ?? '';
    for (const family of familiesIn(request.body)) ring(accountRegNo, family);
    return reply.status(204).send();
  });
  const url = await listenHttp(server, options);
  log.info({ event: 'hints.listening', url });
  return { url, close: () => server.close() };
}

export function digestOfSecret(secret: string): string {
  return hash('sha256', secret);
}

/** Takes the same time whatever is wrong. */
function isSecret(given: string, digest: string): boolean {
  return timingSafeEqual(Buffer.from(digestOfSecret(given), 'hex'), Buffer.from(digest, 'hex'));
}

function accountIn(url: string): string | undefined {
  return PATH.exec(url)?.[1];
}

/** Where to look: a body can narrow it down, and so spare the budget; a body that lies only has us look elsewhere until the next poll. */
function familiesIn(body: unknown): readonly FamilyName[] {
  const { documentType, direction } = dataIn(body);
  if (direction === 'outgoing') return [];
  return typeof documentType === 'string' && isFamilyName(documentType) ? [documentType] : FAMILY_NAMES;
}

function dataIn(body: unknown): { readonly documentType?: unknown; readonly direction?: unknown } {
  const parsed = Buffer.isBuffer(body) ? parsedJson(body) : null;
  const data = typeof parsed === 'object' && parsed !== null && 'data' in parsed ? parsed.data : null;
  return typeof data === 'object' && data !== null ? data : {};
}
