// The core: the document exchange service in this thread, from its ledger to its listening socket.

import type { Environment } from '#core/access/api-keys.ts';
import { openSigningKeys, type SigningKeyOptions, type SigningKeys } from '#core/access/signing-keys.ts';
import { type ApiOptions, createApi } from '#core/api/api.ts';
import { forgetOldJobs, startEnriching } from '#core/enrichment/jobs.ts';
import type { Examiner } from '#core/examination/examiner.ts';
import { openLedgerOfCore } from '#core/ledger/open.ts';
import { readSealed } from '#core/ledger/sealed.ts';
import { openDocumentCaches } from '#core/model/document.ts';
import type { Listeners } from '#core/model/listeners.ts';
import { type NetworkSettings, openNetwork } from '#core/network/network.ts';
import { receiveEnvelope } from '#core/network/receive.ts';
import { openReceivers } from '#core/network/receivers.ts';
import { startTransmitting } from '#core/network/transmit.ts';
import { forgetTurnedAway } from '#core/network/verify.ts';
import { startWatching } from '#core/network/watch.ts';
import { coreAlarms } from '#core/operate/alarms.ts';
import { startFreeing } from '#core/operate/ended-cores.ts';
import { readByMetrics } from '#core/operate/metrics.ts';
import { forgetDeadLetters } from '#core/operate/webhooks.ts';
import { forgetOldKeys } from '#core/transactions/idempotency.ts';
import { startRetention } from '#core/transactions/retention.ts';
import { RingAgain } from '#core/transactions/ring-again.ts';
import { startDelivering } from '#core/webhooks/deliver.ts';
import type { Alarm } from '#domain/alarm.ts';
import { incarnationId, type Random } from '#domain/id.ts';
import { type DatabaseServer, openQueue, openWindows, type QueueServer } from '#engines/open.ts';
import { timedBy } from '#engines/timed.ts';
import { type Clock, every } from '#runtime/clock.ts';
import { listenHttp } from '#runtime/http/server.ts';
import { Lifecycle } from '#runtime/lifecycle.ts';
import type { Log } from '#runtime/log.ts';
import type { Metrics } from '#runtime/metrics.ts';
import type { OutboundSettings } from '#runtime/outbound/guard.ts';
import { openOutbound } from '#runtime/outbound/outbound.ts';
import { openSeal, refuseForeign } from '#runtime/seal.ts';
import type { Answerer } from '#runtime/threads/port-http.ts';
import { answerByServer } from '#runtime/threads/port-http-server.ts';

export interface CoreOptions extends ApiOptions, Listeners {
  readonly environment: Environment;
  readonly databasePath: string;
  /** Where the ledger is, unless it is the file. */
  readonly databaseServer?: DatabaseServer | null;
  /** Its name among several cores of one database; it is alone without. */
  readonly node?: string | null;
  /** Where several count what callers spend of their budgets. */
  readonly countingServer?: QueueServer | null;
  readonly outbound: OutboundSettings;
  readonly webhooks: { readonly keepDead: number };
  /** For how long messages are kept where their account has not said; null is for ever. */
  readonly keepMessages: number | null;
  readonly network: NetworkSettings;
  /** The key file that secrets are sealed with; made when it is not there. */
  readonly sealPath: string;
  /** Those who hear of what came are in other processes, and may miss it. */
  readonly ringsAgain?: boolean;
  /** Closed together with the core. */
  readonly examiner: Examiner;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Where somebody watches over it. */
  readonly metrics?: Metrics | undefined;
}

/** The settings that may change while it runs. */
export interface CoreReload extends Pick<CoreOptions, 'tls' | 'behindProxy' | 'requests' | 'webhooks' | 'keepMessages'> {
  readonly network: Pick<NetworkSettings, 'outage' | 'giveUp' | 'verify'>;
  readonly outbound: Pick<OutboundSettings, 'allow' | 'deny'>;
}

export interface Core {
  /** Base address, without a slash at the end. */
  readonly url: string;
  /** Answers requests of another thread, without a connection. */
  readonly answer: Answerer;
  /** Goes by these settings from now on. */
  reload(settings: CoreReload): void;
  /** Gateways are rung for all that is new from now on, or are not any more; at first they are not. */
  rings(isRinging: boolean): void;
  /** What an administrator should be told of it; null where another core of its ledger tells that. */
  readonly alarms: () => Promise<readonly Alarm[] | null>;
  /** Answers what it has begun to answer, then releases everything. */
  close(): Promise<void>;
}

const EVERYWHERE = ['0.0.0.0/0', '::/0'];
const FORGET_EVERY_MS = 60 * 60_000;

/** Throws `usage` when it must not or cannot listen. */
export async function startCore(given: CoreOptions): Promise<Core> {
  // Parts read what may change when they use it.
  const options = { ...given, outbound: { ...given.outbound }, webhooks: { ...given.webhooks }, network: { ...given.network } };
  const { clock, log, metrics } = options;
  const parts = new Lifecycle();
  try {
    parts.own(options.examiner, (opened) => opened.close());
    const timed = metrics && timedBy(metrics, 'core');
    const incarnation = incarnationId(options.random);
    const { databasePath: path, databaseServer = null, node = null } = options;
    const place = { path, server: databaseServer, incarnation, node, timed, log };
    const ledger = parts.own(await openLedgerOfCore(place), (opened) => opened.close());
    if (metrics) readByMetrics(metrics, { ledger, clock });
    const seal = await openSeal(options.sealPath, options.random);
    const signingKeys = await openSealed({ ledger, seal, clock, log }, node !== null);
    const windows = parts.own(await openWindows(options.countingServer ?? null), (opened) => opened.close());
    const outbound = parts.own(openOutbound(options.outbound, clock), (opened) => opened.close());
    const { ca, dns } = options.outbound;
    // The operator's own settings may point anywhere.
    const trusted = parts.own(openOutbound({ allow: EVERYWHERE, deny: false, ca, dns }, clock), (opened) => opened.close());
    // Closed before the ways out: it waits for what runs.
    const queue = parts.own(openQueue(clock, log), (opened) => opened.close());
    const network = openNetwork(options.network, { environment: options.environment, dns, outbound, trusted, clock, log });
    const receivers = openReceivers({ ledger, network, clock });
    const opened = { ledger, incarnation, isAlone: node === null, signingKeys, seal, queue, windows, outbound, network, receivers };
    if (options.ringsAgain) parts.use(new RingAgain({ ...options, ledger }));
    const shared = { ...options, ...openDocumentCaches(), keysInFlight: new Map(), ...opened };
    const failed = (error: unknown): void => log.warn({ event: 'core.not-forgotten', err: error });
    const forget = async (): Promise<void> => {
      await forgetOldKeys(shared);
      await forgetDeadLetters(shared, options.webhooks.keepDead);
      await forgetOldJobs(shared);
      await forgetTurnedAway(shared);
    };
    parts.use(every(clock, FORGET_EVERY_MS, forget, failed));
    parts.use(startRetention({ ledger, clock, log, keepMessages: () => options.keepMessages }));
    parts.use(await startFreeing(shared));
    parts.own(await startDelivering(shared), (started) => started.close());
    parts.use(await startEnriching(shared));
    const { peppol } = network;
    if (peppol) {
      parts.use(await startTransmitting(shared, peppol));
      const receiving = peppol.accessPoint.receive((envelope) => receiveEnvelope(shared, envelope));
      parts.use(receiving);
      if (peppol.watch) parts.use(await startWatching(shared, peppol.watch));
    }
    const ringing: { as: string | null } = { as: null };
    const server = parts.own(createApi({ ...shared, ringing }, options), (started) => started.close());
    const url = await listenHttp(server, options);
    const { environment, passed = null } = options;
    log.info({ event: 'core.started', url, environment, socket: passed === null ? 'own' : 'passed' });
    return {
      url,
      answer: answerByServer(server),
      reload({ outbound, webhooks, network, ...settings }) {
        Object.assign(options.network, network);
        Object.assign(options.outbound, outbound);
        Object.assign(options.webhooks, webhooks);
        Object.assign(options, settings);
      },
      rings(isRinging) {
        ringing.as = isRinging ? incarnation : null;
      },
      alarms: () => coreAlarms({ ledger, clock, isWatched: peppol !== null && peppol.watch !== null }),
      close: () => parts.stop(),
    };
  } catch (error) {
    await parts.stop();
    throw error;
  }
}

/**
 * The keys that sign tokens. Throws `usage` where another key file has sealed the ledger. Of several cores (`isOneOfSeveral`) the first that starts seals a
 * key at once; they ask again after it, for those that start together on an empty ledger may have a key file each. One that is alone waits until a token is
 * asked for: a gateway beside it may yet refuse the key file.
 */
async function openSealed(parts: SigningKeyOptions, isOneOfSeveral: boolean): Promise<SigningKeys> {
  const { ledger, seal } = parts;
  refuseForeign(seal, await readSealed(ledger.read));
  const signingKeys = openSigningKeys(parts);
  if (isOneOfSeveral) {
    await signingKeys.ensure();
    refuseForeign(seal, await readSealed(ledger.read));
  }
  return signingKeys;
}
