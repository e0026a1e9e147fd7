// What operations work on: the ledgers that the role of this installation has, and what only the running daemon knows.

import type { CoreAdministration } from '#core/operate/administration.ts';
import type { CoreThread } from '#core/thread/thread.ts';
import { AppError } from '#domain/error.ts';
import type { Administration } from '#gateway/operate/administration.ts';
import type { Gateway } from '#gateway/options.ts';
import type { Activity } from '#runtime/activity.ts';
import type { Followed } from '#runtime/audit/follow.ts';
import type { Config } from '#runtime/config/config.ts';
import type { Log } from '#runtime/log.ts';
import type { Seal } from '#runtime/seal.ts';

/** The parts that this data folder has, by the role of its daemon. */
export interface Ledgers {
  readonly core: CoreAdministration | null;
  readonly gateway: Administration | null;
}

/** The daemon that runs in this process, by the parts of its role: what they hold in memory is asked here. */
export interface Running {
  readonly gateway: Gateway | null;
  readonly core: CoreThread | null;
  /** Null where nothing is measured. */
  readonly activity: Activity | null;
  /** What it has seen of the audit trail. */
  readonly trail: Pick<Followed, 'last'> | null;
}

/** What every operation gets; one that needs no more says so, and no ledger is opened for it. */
export interface ClosedInstallation {
  readonly config: Config;
  /** The user of the operating system who asks. */
  readonly caller: string;
  /** Null where no daemon runs, and files and ledgers alone answer. */
  readonly running: Running | null;
  /** Tells how far long work has come, for a line that replaces itself. */
  readonly progress: (text: string) => void;
}

export interface Installation extends ClosedInstallation, Ledgers {
  readonly seal: Seal;
  readonly log: Log;
}

/** The core's side, or a sentence why there is none. */
export function coreOf({ core }: Pick<Ledgers, 'core'>): CoreAdministration {
  if (core) return core;
  throw new AppError('usage', 'This is a gateway without a core of its own: do it where the core runs.');
}

/** The gateway's side, or a sentence why there is none. */
export function gatewayOf({ gateway }: Pick<Ledgers, 'gateway'>): Administration {
  if (gateway) return gateway;
  throw new AppError('usage', 'This is a core without a gateway: homes and logins belong to the machine where the gateway runs.');
}
