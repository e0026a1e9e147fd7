// The core: the document exchange service in this thread, from its ledger to its listening socket.

import { AppError } from '#domain/error.ts';
import type { FamilyName } from '#domain/family.ts';
import type { Random } from '#domain/id.ts';
import { type Clock, every } from '#runtime/clock.ts';
import { createHttpServer, type HttpOptions, listenHttp } from '#runtime/http.ts';
import { Lifecycle } from '#runtime/lifecycle.ts';
import type { Log } from '#runtime/log.ts';
import { keepRecent } from '#runtime/recent.ts';
import { addDescription } from './api/describe/routes.ts';
import { createErrorHandler } from './api/errors.ts';
import { createGate } from './api/gate.ts';
import { addTransactions } from './api/transactions.ts';
import type { Context, Environment } from './context.ts';
import { forgetOldKeys } from './idempotency.ts';
import { releaseAllInFlight } from './ledger/idempotency-keys.ts';
import { openCoreLedger } from './ledger/open.ts';
import { createRateLimit } from './rate-limit.ts';

export interface CoreOptions extends Omit<HttpOptions, 'contentTypes'> {
  /** Requests per `window` (milliseconds) and account. */
  readonly requests: number;
  readonly window: number;
  readonly environment: Environment;
  readonly databasePath: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Called after the commit of each message that became incoming. Must not throw. */
  readonly incoming: (accountRegNo: string, family: FamilyName) => void;
}

export interface Core {
  /** Base address, without a slash at the end. */
  readonly url: string;
  /** Answers what it has begun to answer, then releases everything. */
  close(): Promise<void>;
}

const CONTENT_TYPES = ['application/json', 'application/xml', 'text/xml'];
/** Characters of documents as JSON that are kept at hand. */
const JSON_CHARACTERS_MAX = 32 * 1024 * 1024;
const FORGET_EVERY_MS = 60 * 60_000;

/** Throws `usage` when it must not or cannot listen. */
export async function startCore(options: CoreOptions): Promise<Core> {
  const { clock, log } = options;
  const parts = new Lifecycle();
  try {
    const ledger = parts.own(await openCoreLedger(options.databasePath), (opened) => opened.close());
    const jsonTexts = keepRecent<string>(JSON_CHARACTERS_MAX, (text) => text.length);
    const context: Context = { ...options, ledger, jsonTexts };
    // The data folder is locked against a second daemon: what is in flight now was left by a process that has ended.
    await ledger.write(releaseAllInFlight);
    const failed = (error: unknown): void => log.warn({ event: 'core.keys-not-forgotten', err: error });
    parts.own(
      every(clock, FORGET_EVERY_MS, () => forgetOldKeys(context), failed),
      (timer) => timer[Symbol.dispose](),
    );
    const http = { ...options, contentTypes: CONTENT_TYPES };
    const server = parts.own(createHttpServer(http), (started) => started.close());
    server.setErrorHandler(createErrorHandler(log, options.bodyMax));
    server.setNotFoundHandler(() => {
      throw new AppError('missing', 'There is no such endpoint.');
    });
    server.addHook('onRequest', createGate(context, createRateLimit(options.requests, options.window)));
    addDescription(server);
    server.get('/health', { schema: { summary: 'Says that the service is up' }, config: { open: true } }, async () => ({
      status: 'success',
    }));
    addTransactions(server, context);
    const url = await listenHttp(server, http);
    log.info({ event: 'core.started', url, environment: options.environment });
    return { url, close: () => parts.stop() };
  } catch (error) {
    await parts.stop();
    throw error;
  }
}
