// The admin listener: who watches over the daemon asks here whether it lives, whether it is ready, and for its metrics; and operators have their page.
import type { TcpAddress } from '#runtime/config/kinds.ts';
import type { Tls } from '#runtime/config/tls.ts';
import { createHttpServer, type HttpOptions, type HttpServer, listenHttp } from '#runtime/http/server.ts';
import type { Log } from '#runtime/log.ts';
import type { Readiness } from './readiness.ts';

/** Only forms of the page have a body, which says itself how long. */
const BODY_BYTES_MAX = 1_024;
/** A document to judge may come over a slow line. */
const TIMEOUTS = { headers: 10_000, request: 300_000 } as const;

export interface AdminSettings {
  readonly listen: TcpAddress;
  readonly tls: Tls | null;
}

export interface AdminParts {
  readonly settings: AdminSettings;
  readonly readiness: Readiness;
  /** The text of /metrics. */
  readonly metrics: () => Promise<string>;
  /** Adds what operators have in a browser; null where there is no page. */
  readonly page: ((server: HttpServer, isTls: boolean) => Promise<void>) | null;
  readonly log: Log;
}

export interface AdminListener {
  /** Base address, without a slash at the end. */
  readonly url: string;
  close(): Promise<void>;
}

/** Throws `usage` or `locked` when it must not or cannot listen. */
export async function startAdminListener({ settings, readiness, metrics, page, log }: AdminParts): Promise<AdminListener> {
  const options: HttpOptions = {
    listen: settings.listen,
    // The certificate may be renewed meanwhile.
    get tls() {
      return settings.tls;
    },
    behindProxy: false,
    bodyMax: BODY_BYTES_MAX,
    timeouts: TIMEOUTS,
    section: 'admin',
  };
  const server = createHttpServer(options, {
    contentTypes: ['application/json'],
    answerError: async (error, _request, reply) => {
      log.warn({ event: 'admin.failed', err: error });
      return reply.status(500).send({ status: 'failed' });
    },
    answerMalformed: async () => 'HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n',
  });
  server.setNotFoundHandler((_request, reply) => reply.status(404).send({ status: 'no such path' }));
  server.get('/livez', async () => ({ status: 'alive' }));
  server.get('/readyz', async (_request, reply) => {
    const checks = await readiness.look();
    const isReady = checks.every(({ reason }) => reason === null);
    return reply.status(isReady ? 200 : 503).send({ status: isReady ? 'ready' : 'not ready', checks });
  });
  server.get('/metrics', async (_request, reply) => reply.type('text/plain; version=0.0.4; charset=utf-8').send(await metrics()));
  await page?.(server, settings.tls !== null);
  const url = await listenHttp(server, options);
  log.info({ event: 'admin.listening', url });
  return { url, close: () => server.close() };
}
