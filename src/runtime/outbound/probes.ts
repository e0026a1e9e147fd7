// Shares connection attempts to hosts that may be down: one attempt at a time, and all requests to that host meanwhile wait for its outcome.
import type { buildConnector } from 'undici';
import { LruCache } from '#runtime/cache.ts';

/** A host that worked is in doubt after so many failed attempts in a row; an unknown host is in doubt from the first attempt on. */
const FAILURES_MAX = 3;
const HOSTS_MAX = 10_000;

interface Host {
  /** Failed attempts in a row. */
  failures: number;
  /** Requests that wait for the outcome of the attempt under way; null when there is none. */
  waiting: ((error: Error | null) => void)[] | null;
}

/** Connects by `connect`; connections to a host in doubt wait for the attempt under way, and fail with it. */
export function shareProbes(connect: buildConnector.connector): buildConnector.connector {
  const hosts = new LruCache<Host>(HOSTS_MAX);
  return (options, done) => {
    const name = `${options.protocol}//${options.hostname}:${options.port}`;
    const host = hosts.get(name) ?? hosts.put(name, { failures: FAILURES_MAX, waiting: null });
    const inDoubt = host.failures >= FAILURES_MAX;
    if (inDoubt && host.waiting) {
      host.waiting.push((error) => (error ? done(error, null) : connect(options, done)));
      return;
    }
    const waiting: Host['waiting'] = [];
    if (inDoubt) host.waiting = waiting;
    connect(options, (...outcome) => {
      const [error] = outcome;
      host.failures = error ? host.failures + 1 : 0;
      if (host.waiting === waiting) host.waiting = null;
      done(...outcome);
      for (const tell of waiting) tell(error);
    });
  };
}
