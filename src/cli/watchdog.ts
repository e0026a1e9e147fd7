// The watchdog of systemd: it hears that the daemon works only while the event loops turn that its work needs, and starts the daemon anew when it
// hears nothing for WatchdogSec.
import { type Clock, every } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';

/** So often within WatchdogSec: one that comes late, on a busy machine, is not the end. */
const TIMES = 4;

interface WatchdogParts {
  /** WatchdogSec. */
  readonly withinMs: number;
  /** Resolves when each other loop has had a turn; this one has by asking. */
  readonly turn: () => Promise<void>;
  readonly tell: () => Promise<void>;
  readonly clock: Clock;
  readonly log: Pick<Log, 'error'>;
}

/** Dispose to stop: then systemd must not wait for it any more. */
export function startWatchdog({ withinMs, turn, tell, clock, log }: WatchdogParts): Disposable {
  const failed = (error: unknown): void => log.error({ event: 'daemon.stalled', withinMs, err: error });
  const look = async (): Promise<void> => {
    // Said while it lasts, since it cannot be said once systemd has ended the daemon.
    using _stalled = clock.after(withinMs / 2, () => failed(new Error('The event loop of the core has not turned.')));
    await turn();
    await tell();
  };
  return every(clock, withinMs / TIMES, look, failed);
}
