// The admin listener: who watches over the daemon asks here whether it lives, whether it is ready, and for its metrics.
import type { TcpAddress } from '#runtime/config/kinds.ts';
import type { Tls } from '#runtime/config/tls.ts';
import { createHttpServer, type HttpOptions, listenHttp } from '#runtime/http/server.ts';
import type { Log } from '#runtime/log.ts';
import type { Readiness } from './readiness.ts';

/** No request has a body. */
const BODY_BYTES_MAX = 1_024;
const TIMEOUTS = { headers: 10_000, request: 10_000 } as const;

export interface AdminSettings {
  readonly listen: TcpAddress;
  readonly tls: Tls | null;
}

export interface AdminParts {
  readonly settings: AdminSettings;
  readonly readiness: Readiness;
  /** The text of /metrics. */
  readonly metrics: () => Promise<string>;
  readonly log: Log;
}

export interface AdminListener {
  /** Base address, without a slash at the end. */
  readonly url: string;
  close(): Promise<void>;
}

/** Throws `usage` or `locked` when it must not or cannot listen. */
export async function startAdminListener({ settings, readiness, metrics, log }: AdminParts): Promise<AdminListener> {
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
  const url = await listenHttp(server, options);
  log.info({ event: 'admin.listening', url });
  return { url, close: () => server.close() };
}
