// Tells systemd that the daemon is ready, by the systemd-notify program: Node has no datagram sockets for it.
import { spawn } from 'node:child_process';
import { notifySocket } from '#runtime/config/file.ts';
import type { Log } from '#runtime/log.ts';

const NOTIFY_MS_MAX = 10_000;

/** Does nothing when nobody waits for it. A failure is logged: systemd then ends the daemon, and the log says why. */
export async function notifyReady(log: Log): Promise<void> {
  if (notifySocket() === undefined) return;
  const reason = await new Promise<string | null>((resolve) => {
    const program = spawn('systemd-notify', ['--ready'], { stdio: 'ignore', timeout: NOTIFY_MS_MAX });
    program.once('error', (error) => resolve(error.message));
    program.once('exit', (status) => resolve(status === 0 ? null : `systemd-notify ended with status ${status}`));
  });
  if (reason !== null) log.error({ event: 'daemon.not-notified', reason });
}
