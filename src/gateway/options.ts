// What a gateway is started with, and what it offers to the daemon.
import type { Watcher } from '#domain/alarm.ts';
import type { FamilyName } from '#domain/family.ts';
import type { Random } from '#domain/id.ts';
import type { ReceiptForm } from '#domain/receipt-forms.ts';
import type { DatabaseServer, QueueServer } from '#engines/open.ts';
import type { Intake } from '#gateway/model/intake.ts';
import type { KeepSettings } from '#gateway/model/keeping.ts';
import type { NodeSettings } from '#gateway/nodes/join.ts';
import type { Administration } from '#gateway/operate/administration.ts';
import type { OutboxSettings } from '#gateway/publish/outbox.ts';
import type { ListenSettings } from '#gateway/service/hint-listener.ts';
import type { Service } from '#gateway/service/transport.ts';
import type { ListenerSettings } from '#gateway/sftp/listener.ts';
import type { SftpServer, SftpSettings } from '#gateway/sftp/server.ts';
import type { AnswerSettings } from '#gateway/spool/answer-folders.ts';
import type { InboxSettings } from '#gateway/spool/inbox.ts';
import type { VerdictSettings } from '#gateway/spool/strict-verdicts.ts';
import type { WatchSettings } from '#gateway/watch/watch.ts';
import type { AddTogether } from '#runtime/auth/slow-guessing.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';
import type { Metrics } from '#runtime/metrics.ts';

interface GatewaySettings extends WatchSettings, KeepSettings, OutboxSettings, AnswerSettings {
  readonly submits: number;
  readonly receipts: ReceiptForm;
  readonly validate: 'local' | 'core';
  readonly reconcile: number;
  readonly poll: number;
  readonly pollSilent: number;
  readonly requestTimeout: number;
}

export interface GatewayOptions {
  readonly data: string;
  /** Where the ledger is, unless it is a file in `data`. */
  readonly databaseServer?: DatabaseServer | null;
  /** The key file that secrets are sealed with, when it is not the one below `data`. */
  readonly sealPath?: string;
  /** Where several gateways share the homes of one ledger. */
  readonly node?: NodeSettings | null;
  readonly environment: string;
  readonly service: Service;
  /** The service is embedded and rings for each new document. */
  readonly hinted: boolean;
  /** Where a remote service may post hints, and the address by which it reaches us there; without them there is no listener. */
  readonly hints?: ListenSettings & { readonly url: string | null };
  /** Where a remote core rings that something is new; null is nowhere. */
  readonly queueServer?: QueueServer | null;
  /** Where the SFTP server listens. */
  readonly listeners: readonly ListenerSettings[];
  /** What it and the inbox go by; parts read it when they use it, for it may change. So may `settings`. */
  readonly sftp: SftpSettings & InboxSettings & VerdictSettings;
  readonly settings: GatewaySettings;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Where somebody watches over it. */
  readonly metrics?: Metrics | undefined;
}

/** What adds the penalties of failed logins by one way in, told by its name, to those of all nodes. */
export type Penalties = (way: string) => AddTogether;

export interface Gateway {
  /** What operations of a person work with. */
  readonly administration: Administration;
  readonly intake: Intake;
  readonly sftp: SftpServer;
  /** Null where there are no other nodes, or no Redis in which they count together. */
  readonly penalties: Penalties | null;
  /** Base address of the listener for hints; null when there is none. */
  readonly hintsUrl: string | null;
  /** Resolves when its ledger answers. */
  askLedger(): Promise<void>;
  /** Rejects with the reason where no files should be given to it: no room, or, of a node, another data folder than it has joined with. */
  askDisk(): Promise<void>;
  /** Resolves when accounts, partners and logins are served as the ledger has them now; by itself it looks every second or two. Never rejects. */
  refreshAccounts(): Promise<void>;
  /** Those who look after what an administrator should be told of. */
  watchers(rhythm: () => 'learn' | 'off'): Watcher[];
  /** A hint: the service has a new document for the account, or this one. */
  ring(accountRegNo: string, family: FamilyName, integrationId?: string): void;
  /** A hint: the status of a document of the account has changed. */
  ringStatus(accountRegNo: string, family: FamilyName): void;
  /** A hint: the service has turned a document for the account away. */
  ringTurnedAway(accountRegNo: string): void;
  /** The process does the work of a home again. */
  takeUp(home: string): Promise<void>;
  /** What runs for a home ends, and nothing begins until it is taken up again; files are accepted all the time. */
  giveUp(home: string): Promise<void>;
  /** Lets transfers end until `cut` fires, and submits under way, then stops. What has not ended is safe, and goes on at the next start. */
  close(cut?: AbortSignal): Promise<void>;
}
