// Hosts to which no connection may come about: one attempt at a time finds out, for all that want to go there meanwhile.
import type { buildConnector } from 'undici';
import { keepRecent } from '#runtime/recent.ts';

/** A host that was well is doubted after so many attempts in a row that failed; one that nobody knows is doubted from the first on. */
const FAILURES_MAX = 3;
const HOSTS_MAX = 10_000;

interface Host {
  /** Attempts in a row that failed. */
  failures: number;
  /** Who wants to hear how the attempt ends that finds out; null when there is none. */
  waiting: ((error: Error | null) => void)[] | null;
}

/** Connections by `connect`, of which those to a host in doubt wait for the one that is being made, and fail with it. */
export function shareProbes(connect: buildConnector.connector): buildConnector.connector {
  const hosts = keepRecent<Host>(HOSTS_MAX);
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
