// Tells systemd what the daemon does, by the systemd-notify program: Node has no datagram sockets for it.
import { spawn } from 'node:child_process';
import { notifySocket } from '#runtime/config/environment.ts';
import type { Log } from '#runtime/log.ts';

const NOTIFY_MS_MAX = 10_000;

/** Sends assignments of sd_notify(3), such as `READY=1`, and does nothing where nobody waits for them. A failure is logged: systemd may end the daemon then, and the log says why. */
export async function notifySystemd(assignments: readonly string[], log: Log): Promise<void> {
  if (notifySocket() === undefined) return;
  const reason = await new Promise<string | null>((resolve) => {
    const program = spawn('systemd-notify', assignments, { stdio: 'ignore', timeout: NOTIFY_MS_MAX });
    program.once('error', (error) => resolve(error.message));
    program.once('exit', (status) => resolve(status === 0 ? null : `systemd-notify ended with status ${status}`));
  });
  if (reason !== null) log.error({ event: 'daemon.not-notified', assignments, reason });
}
