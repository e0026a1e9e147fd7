// The settings of a gateway in this process: the defaults, and places for a test's own.
import type { GatewayOptions } from '#gateway/options.ts';
import { type Clock, systemRandom } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';
import { LISTENER, SFTP_SETTINGS } from '../sftp-settings.ts';

const SFTP: GatewayOptions['sftp'] = {
  ...SFTP_SETTINGS,
  linger: 60_000,
  partialsKept: 86_400_000,
  itemsPerAccountMax: 1_000,
  unfinishedMax: 2 ** 30,
  verdictWithin: 2_000,
};

const SETTINGS: GatewayOptions['settings'] = {
  watch: 'events',
  watched: 200,
  settle: 5_000,
  rescan: 10_000,
  incomplete: 600_000,
  answerAfter: 60_000,
  keepItems: null,
  keepAccepted: 30 * 86_400_000,
  keepReceipts: 90 * 86_400_000,
  keepFailedUploads: 30 * 86_400_000,
  submits: 64,
  receipts: 'json',
  outbox: 'keep',
  keepOutbox: null,
  pickupAlarm: null,
  archive: null,
  validate: 'core',
  reconcile: 6 * 3_600_000,
  poll: 60_000,
  pollSilent: 600_000,
  requestTimeout: 10_000,
};

export interface GivenSettings {
  readonly url: string;
  readonly settings?: Partial<GatewayOptions['settings']>;
  /** The service rings; so it does unless it is said. */
  readonly hinted?: boolean;
  readonly hints?: GatewayOptions['hints'];
  /** Files of an account that may wait; a thousand when left out. */
  readonly itemsMax?: number;
}

/** For a gateway on a folder of the caller's. */
export function gatewayOptions(data: string, clock: Clock, log: Log, given: GivenSettings): GatewayOptions {
  return {
    data,
    environment: 'test',
    service: { url: given.url },
    hinted: given.hinted ?? true,
    ...(given.hints && { hints: given.hints }),
    listeners: [LISTENER],
    sftp: { ...SFTP, ...(given.itemsMax && { itemsPerAccountMax: given.itemsMax }) },
    settings: { ...SETTINGS, ...given.settings },
    clock,
    random: systemRandom,
    log,
  };
}
