// A real access point: phoss-ap in a process of its own, with small intervals in place of its minutes and hours.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../support/until.ts';
import { POSTGRES_USER } from './postgres.ts';
import { STORE_PASSWORD } from './trust.ts';

const READY_WITHIN_MS = 180_000;
/** Of its own tries: some minutes, if nobody says otherwise. */
const RETRY_EVERY = '1s';
const NEVER = '30d';

export interface PhossApOptions {
  readonly java: string;
  readonly jar: string;
  readonly folder: string;
  readonly port: number;
  readonly seat: string;
  readonly token: string;
  /** As Java reaches it. */
  readonly database: string;
  readonly overlay: string;
  readonly keyStore: string;
  readonly dns: string;
  /** Where it forwards to, with the token. */
  readonly backend: string;
  /** Who judges what it receives; nobody when left out. */
  readonly verifier?: string;
  /** It never says by itself what became of what it received. */
  readonly isSilent: boolean;
}

export interface PhossAp extends AsyncDisposable {
  readonly url: string;
  /** By AS4. */
  readonly address: string;
  /** Resolves when it answers. `archiving`: all that is done is archived at once. */
  start(mode?: 'archiving'): Promise<void>;
  /** SIGKILL, and nobody listens any more. */
  kill(): Promise<void>;
  isRunning(): boolean;
  log(): string;
}

/** It is not started yet. */
export function preparePhossAp(options: PhossApOptions): PhossAp {
  const { java, jar, folder, port, token } = options;
  mkdirSync(folder, { recursive: true });
  const log = join(folder, 'log');
  writeFileSync(log, '');
  const url = `http://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;
  const isRunning = (): boolean => child !== undefined && child.exitCode === null && child.signalCode === null;

  const answers = async (): Promise<boolean> => {
    if (!isRunning()) throw new Error(`the access point ended instead of starting:\n${tailOf(log)}`);
    const response = await fetch(`${url}/api/outbound/in-transmission`, { headers: { 'x-token': token } }).catch(() => undefined);
    await response?.body?.cancel();
    return response?.status === 200;
  };
  const kill = async (): Promise<void> => {
    if (!child || !isRunning()) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  };
  return {
    url,
    address: `${url}/as4`,
    async start(mode) {
      const settings = Object.entries(settingsOf(options, mode === 'archiving' ? '1s' : NEVER)).map(
        ([name, value]) => `-D${name}=${value}`,
      );
      const descriptor = openSync(log, 'a');
      // The first tier of its compiler alone starts it in half the time.
      const tuned = ['-Xmx256m', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];
      child = spawn(java, [...tuned, ...settings, '-jar', jar], { cwd: folder, stdio: ['ignore', descriptor, descriptor] });
      await until('the access point to answer', answers, READY_WITHIN_MS);
    },
    kill,
    isRunning,
    log: () => readFileSync(log, 'utf8'),
    [Symbol.asyncDispose]: kill,
  };
}

const tailOf = (log: string): string => readFileSync(log, 'utf8').split('\n').slice(-40).join('\n');

function settingsOf(options: PhossApOptions, archiveEvery: string): Readonly<Record<string, string>> {
  const { folder, port, seat, token, database, overlay, keyStore, dns, backend, verifier, isSilent } = options;
  const data = join(folder, 'data');
  const crypto = 'org.apache.wss4j.crypto.merlin';
  return {
    'loader.path': overlay,
    'dns.server': dns,
    'server.port': `${port}`,
    'server.address': '127.0.0.1',
    'global.datapath': `${data}/`,
    'storage.inbound.path': `${data}/inbound/`,
    'storage.outbound.path': `${data}/outbound/`,
    'phase4.dump.path': '',
    ...databases(database),
    'peppol.stage': 'test',
    'peppol.owner.seatid': seat,
    'peppol.owner.countrycode': 'SE',
    'phase4.api.requiredtoken': token,
    [`${crypto}.keystore.file`]: keyStore,
    [`${crypto}.keystore.password`]: STORE_PASSWORD,
    [`${crypto}.keystore.alias`]: seat,
    [`${crypto}.keystore.private.password`]: STORE_PASSWORD,
    // No list of withdrawn certificates is to be had.
    'phossap.offlinemode.enabled': 'true',
    'forwarding.mode': 'http_post_sync',
    'forwarding.http.endpoint': backend,
    'forwarding.http.headers.1.name': 'X-Token',
    'forwarding.http.headers.1.value': token,
    // What comes again after a kill is let through: Dropgate takes each envelope once.
    'duplicate.detection.as4.mode': 'store_and_flag',
    'duplicate.detection.sbdh.mode': 'store_and_flag',
    'mls.type': 'always_send',
    'mls.sending.enabled': `${!isSilent}`,
    ...(verifier && { 'verification.inbound.enabled': 'true', 'verification.phorm.url': verifier, 'verification.phorm.token': token }),
    'circuit-breaker.failure-threshold': '100000',
    'retry.scheduler.interval': RETRY_EVERY,
    ...retries('sending'),
    ...retries('forwarding'),
    'archival.scheduler.interval': archiveEvery,
    'archival.scheduler.batch-size': '10000',
    'peppol.reporting.schedule.enabled': 'false',
  };
}

function databases(url: string): Readonly<Record<string, string>> {
  const entries = ['phossap', 'peppol.reporting', 'peppol.report'].flatMap((prefix) => {
    const all = ['jdbc', 'flyway.jdbc'].map((part) => `${prefix}.${part}`);
    return all.flatMap((part) => [
      [`${part}.url`, url],
      [`${part}.user`, POSTGRES_USER],
      [`${part}.password`, 'any'],
    ]);
  });
  return Object.fromEntries(entries);
}

function retries(what: string): Readonly<Record<string, string>> {
  const all = { 'max-attempts': '1000', 'initial-backoff': RETRY_EVERY, 'backoff-multiplier': '1.0', 'max-backoff': RETRY_EVERY };
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [`retry.${what}.${name}`, value]));
}
