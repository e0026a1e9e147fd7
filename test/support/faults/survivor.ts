// What a crash has left of a data folder, started again: gateway and core in this process, in a fraction of the time that a daemon
// takes to start, by the same recovery. Its clock hurries, so that what tries again after a while does so within a test.
import { startCore } from '#core/core.ts';
import type { DatabaseServer } from '#engines/open.ts';
import { startGateway as startOurs } from '#gateway/gateway.ts';
import type { Gateway } from '#gateway/options.ts';
import type { Clock } from '#runtime/clock.ts';
import { Lifecycle } from '#runtime/lifecycle.ts';
import { openLog } from '#runtime/log.ts';
import { hurriedClock } from '../clock.ts';
import { coreOptions } from '../core.ts';
import { until } from '../until.ts';
import { type GivenSettings, gatewayOptions } from '../world/gateway-settings.ts';
import { homesOf } from '../world/homes.ts';
import type { World } from './world.ts';

const TIMES_AS_FAST = 100;
/** What must not end before its time though the clock hurries: logins, sessions, requests. */
const LONG_MS = 10 * 60 * 60_000;

export interface Survivor extends World, AsyncDisposable {
  /** Lines of the gateway's log. */
  readonly log: string[];
  readonly intake: Gateway['intake'];
}

export interface SurvivorOptions extends Pick<World, 'taken' | 'patienceMs'> {
  /** One that hurries when left out. */
  readonly clock?: Clock;
  readonly settings?: GivenSettings['settings'];
  /** Of the core. */
  readonly keepMessages?: number;
  /** Where the ledgers are; left out, in the folder. */
  readonly server?: DatabaseServer | null;
  /** Its name, where it is a node among others; the ledgers are on the server then. */
  readonly node?: string | undefined;
  /** Another gateway than ours: one with a defect. */
  readonly startGateway?: typeof startOurs;
}

/** The folder stays at the end. `through` may put something between gateway and core: it is given the core's address and gives another. */
export async function startSurvivor(
  data: string,
  apiKey: World['apiKey'],
  {
    taken,
    patienceMs,
    clock = hurriedClock(TIMES_AS_FAST),
    settings,
    keepMessages,
    server = null,
    node,
    startGateway = startOurs,
  }: SurvivorOptions,
  through: (coreUrl: string) => Promise<string> = async (url) => url,
): Promise<Survivor> {
  const life = new Lifecycle();
  const log: string[] = [];
  let gateway: Gateway | undefined;
  try {
    const core = life.own(
      await startCore({
        ...coreOptions(data, clock),
        databaseServer: server,
        ...(keepMessages !== undefined && { keepMessages }),
        incoming: (accountRegNo, family, integrationId) => gateway?.ring(accountRegNo, family, integrationId),
        changed: (accountRegNo, family) => gateway?.ringStatus(accountRegNo, family),
      }),
      (started) => started.close(),
    );
    const lines = openLog('info', { write: (line) => void log.push(line) });
    const options = gatewayOptions(data, clock, lines, {
      url: await through(core.url),
      settings: { requestTimeout: LONG_MS, ...settings },
    });
    const sftp = { ...options.sftp, loginDeadline: LONG_MS, idle: LONG_MS, verdictWithin: LONG_MS };
    const nodeSettings =
      node === undefined ? null : { name: node, leaseMs: LONG_MS, calmMs: LONG_MS, lost: (why: string) => lines.error(why) };
    gateway = life.own(await startGateway({ ...options, databaseServer: server, node: nodeSettings, sftp }), (started) =>
      started.close(AbortSignal.abort()),
    );
    // ERPs that come before it has taken over may upload anew what the other has closed under a temporary name: that is told as waiting, and refused a day later.
    if (node !== undefined) await until('the homes to be in hand', () => log.some(hasHomes), patienceMs);
    const {
      intake,
      sftp: { port },
    } = gateway;
    const world = { ...homesOf(data), data, port, coreUrl: core.url, apiKey, taken, patienceMs };
    return { ...world, intake, log, [Symbol.asyncDispose]: () => life.stop() };
  } catch (error) {
    await life.stop();
    throw error;
  }
}

/** The other one had no row yet, or its homes are taken up. */
function hasHomes(line: string): boolean {
  const { event, homes } = JSON.parse(line);
  return event === 'home.taken-up' || (event === 'node.joined' && homes > 0);
}
