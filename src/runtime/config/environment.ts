// This process's environment: what its starter and its terminal say in it.
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';

// biome-ignore lint/style/noProcessEnv: the one place that reads the environment
export const environment = process.env;

/** Whether output on a terminal may be coloured: NO_COLOR (no-color.org) forbids it, and a terminal that has no colours. */
export function mayColour(): boolean {
  return !environment.NO_COLOR && environment.TERM !== 'dumb';
}

/** Where systemd waits to hear that the daemon is ready; undefined when nobody waits. */
export function notifySocket(): string | undefined {
  return environment.NOTIFY_SOCKET;
}

/** Within how many milliseconds systemd wants to hear again and again that this process works; null when it does not (sd_watchdog_enabled(3)). */
export function watchdogMs(): number | null {
  const { WATCHDOG_USEC, WATCHDOG_PID = String(process.pid) } = environment;
  const ms = Number(WATCHDOG_USEC) / 1_000;
  return ms > 0 && WATCHDOG_PID === String(process.pid) ? ms : null;
}

/** fsyncs and password hashes run in libuv's threads: four, its default, are too few where an fsync takes long. Call it before anything uses them. */
export function sizeThreadPool(): void {
  environment.UV_THREADPOOL_SIZE ??= '64';
}

/** What Node keeps of what it has compiled (main.cjs says where) other threads find by this name alone: without it each strips the types of all that it loads. */
export function shareCompiled(): void {
  const place = getCompileCacheDir();
  if (place !== undefined) environment.NODE_COMPILE_CACHE ||= dirname(place);
}
