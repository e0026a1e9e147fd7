// SIGHUP: a daemon that runs reads its configuration again.
import { messageOf } from '#domain/error.ts';
import type { Config } from '#runtime/config/config.ts';
import type { LiveConfig, Reloaded } from '#runtime/config/live.ts';
import type { Log } from '#runtime/log.ts';
import { notifySystemd } from './notify.ts';

/** Calls back at each SIGHUP, once for those that come while one is answered. A terminal that is closed sends one, too. Dispose to have the system's own way again. */
export function onHangup(answer: () => Promise<void>): Disposable {
  let last = Promise.resolve();
  let isWaiting = false;
  const listener = (): void => {
    if (isWaiting) return;
    isWaiting = true;
    last = last.then(() => {
      isWaiting = false;
      return answer();
    });
  };
  process.on('SIGHUP', listener);
  return { [Symbol.dispose]: () => void process.off('SIGHUP', listener) };
}

export interface ReloadParts {
  readonly live: LiveConfig;
  /** Reads the file again; throws for one that cannot be used. */
  readonly read: () => Config;
  /** Hands what has changed to parts that have a copy of their own. */
  readonly handOn: () => Promise<void>;
  readonly log: Log;
}

/** Takes over what may change. A file that cannot be used changes nothing. Never throws. */
export async function reload({ live, read, handOn, log }: ReloadParts): Promise<void> {
  // Of the clock that systemd goes by, so that it takes the next READY=1 for the end of this reload.
  await notifySystemd(['RELOADING=1', `MONOTONIC_USEC=${process.hrtime.bigint() / 1_000n}`], log);
  let status: string;
  try {
    const reloaded = live.take(read());
    log.level = live.config.log.level;
    await handOn();
    status = told(reloaded);
    log[reloaded.kept.length > 0 ? 'warn' : 'info']({ event: 'daemon.reloaded', ...reloaded, sentence: status });
  } catch (error) {
    const reason = messageOf(error);
    status = `All settings stay as they are. ${reason.replaceAll(/\s*\n\s*/g, ' ')}`;
    log.error({ event: 'daemon.reload-refused', sentence: status });
  }
  await notifySystemd(['READY=1', `STATUS=${status}`], log);
}

function told({ changed, kept }: Reloaded): string {
  const taken = changed.length > 0 ? `In force now: ${changed.join(', ')}.` : 'No setting that may change while it runs is another one.';
  return kept.length > 0 ? `${taken} Only a restart changes ${kept.join(', ')}.` : taken;
}
