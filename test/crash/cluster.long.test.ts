// Three gateways and two cores behind a balancer, while ERPs upload, are cut off and go on, and take away: in each round one of what stands around them fails, and
// ERPs upload before, meanwhile and after. At the end of each round every upload that was acknowledged has arrived, exactly once, and in the end all are in the order
// of their pairs. DROPGATE_CLUSTER_ROUNDS is how many rounds there are (each fault once; the whole has 300), DROPGATE_KILL_SEED repeats a run,
// and DROPGATE_CLUSTER_TIMES=real has the lease, the calm and the polls of an installation.
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { LOST_HOMES } from '#cli/exit-status.ts';
import { median } from '../bench/figures.ts';
import { amountOf } from '../support/amounts.ts';
import { hasBalancer } from '../support/balancer.ts';
import { LEASE_MS } from '../support/cluster.ts';
import type { TestDaemon } from '../support/daemon.ts';
import { hasPostgres } from '../support/postgres.ts';
import { randomOf } from '../support/random.ts';
import { hasRedis } from '../support/redis-server.ts';
import { until } from '../support/until.ts';
import { goneOnceWoken } from '../support/woken.ts';
import { type ClusterStage, type ClusterTimes, type GatewayNode, startClusterStage } from './cluster-stage.ts';
import { keepAlive } from './keep-alive.ts';
import { accountsOf, MANY_TO_MANY, RECEIVERS } from './parties.ts';
import { Takeovers } from './takeovers.ts';
import { startTraffic, type Traffic } from './traffic.ts';

const ROUNDS = amountOf('DROPGATE_CLUSTER_ROUNDS');
const SEED = Number(process.env.DROPGATE_KILL_SEED ?? Date.now() % 1_000_000);
const TIMES: ClusterTimes =
  process.env.DROPGATE_CLUSTER_TIMES === 'real'
    ? { leaseMs: 20_000, calmMs: 30_000, pollMs: 60_000 }
    : { leaseMs: LEASE_MS, calmMs: 500, pollMs: 3_000 };
/** The name of the figures. */
const FIGURES = `cluster, with a lease of ${TIMES.leaseMs / 1_000} s`;
const DOCUMENTS_PER_ROUND = 40;
/** An ERP has one for each pair at once, and then one after so long: longer, all together, than most faults. */
const ONE_EVERY_MS = 120;
const MOVES_MAX = 10;
/** So long after its lease what a node owed is under way at another. */
const GONE_ON_WITHIN_MS = 10_000;
/** For how long Redis stands still: so long that each gateway counts as ended for others, whose rings are refused then. */
const STOPPED_MS = 11_000;
/** Commits under way when PostgreSQL dies that its standby never hears of; each gateway renews its lease, so there are soon so many. */
const UNHEARD_MAX = 3;
/** A document that has met several faults waits minutes for its next try. */
const SETTLED_WITHIN_MS = 1_200_000;

interface Round extends ClusterStage {
  readonly random: ReturnType<typeof randomOf>;
  /** Whose homes move, in turns. */
  readonly home: string;
  /** What Redis had when the stage was ready, and in the middle of each round until this one. */
  readonly dumps: readonly Buffer[];
  readonly takeovers: Takeovers;
  readonly toll: Toll;
}

interface Toll {
  /** How long processes that were woken took to end. */
  readonly goneMs: number[];
  /** So many nodes had to lose their leases. */
  leases: number;
}

/** What happens in a round; a gateway or a core that has ended by it is started again. */
const FAULTS: Readonly<Record<string, (round: Round) => Promise<unknown>>> = {
  async 'a gateway killed'(round) {
    const { daemon, incarnation } = await ownerNow(round);
    const killing = daemon.kill();
    await round.takeovers.of(incarnation);
    await killing;
  },
  async 'a gateway stopped for longer than its lease'(round) {
    const { daemon, incarnation } = await ownerNow(round);
    const { length: ends } = daemon.exits;
    daemon.signal('SIGSTOP');
    await round.takeovers.of(incarnation);
    const before = { facts: daemon.facts().length, changes: await round.rows.changesBy(incarnation) };
    expect(before.changes).not.toEqual([]);
    const { goneMs, withinMs } = await goneOnceWoken(daemon.signal, () => daemon.exits.length > ends);
    round.toll.goneMs.push(goneMs);
    round.toll.leases++;
    expect(goneMs).toBeLessThan(withinMs);
    expect(daemon.exits[ends]).toBe(LOST_HOMES);
    expect(eventsAfter(daemon, before.facts)).toContain('node.lost');
    expect(await round.rows.changesBy(incarnation)).toEqual(before.changes);
  },
  'a core killed': ({ cores, random }) => killed(cores[random(0, cores.length - 1)]),
  'PostgreSQL killed': async ({ postgres: { primary } }) => {
    await primary.crash('SIGKILL');
    await primary.restart();
  },
  'the standby promoted': ({ postgres, random }) => postgres.failOver(random(0, UNHEARD_MAX)),
  'Redis emptied': ({ redis }) => redis.ask('flushall'),
  async 'Redis killed'({ redis }) {
    await redis.kill();
    await redis.start();
  },
  async 'an old dump in Redis'({ redis, random, dumps }) {
    await redis.kill();
    await redis.start(dumps[random(0, dumps.length - 1)]);
    expect(await redis.ask('info', 'persistence')).toMatch(/rdb_last_load_keys_loaded:[1-9]/);
  },
  async 'Redis stopped'({ redis }) {
    redis.signal('SIGSTOP');
    await pause(STOPPED_MS);
    redis.signal('SIGCONT');
  },
  async 'PostgreSQL out of reach of a gateway'(round) {
    const { daemon, relay, incarnation } = await ownerNow(round);
    const { length: ends } = daemon.exits;
    const { target } = relay;
    relay.target = null;
    relay.cut();
    await round.takeovers.of(incarnation);
    await until('it to be gone', () => daemon.exits.length > ends, TIMES.leaseMs + 30_000);
    expect(daemon.exits[ends]).toBe(LOST_HOMES);
    round.toll.leases++;
    relay.target = target;
  },
};

it.runIf(hasPostgres && hasRedis && hasBalancer)(
  `every acknowledged upload arrives exactly once and in order, though nodes and what stands around them fail (seed ${SEED})`,
  { timeout: SETTLED_WITHIN_MS + ROUNDS * 60_000 },
  async () => {
    const beganAt = performance.now();
    const random = randomOf(SEED);
    await using stage = await startClusterStage(TIMES);
    const keepers = [...stage.nodes.map(({ daemon }) => daemon), ...stage.cores].map(keepAlive);
    const documents = ROUNDS * DOCUMENTS_PER_ROUND;
    const { gateway, core, rows } = stage;
    const takeovers = new Takeovers({ rows, facts: gateway.facts, leaseMs: TIMES.leaseMs, withinMs: GONE_ON_WITHIN_MS });
    const toll: Toll = { goneMs: [], leases: 0 };
    const traffic = startTraffic({
      gateway,
      core,
      parties: MANY_TO_MANY,
      documents,
      uploadsAtOnce: 'each-pair',
      kept: documents,
      cut: random,
      settledWithinMs: SETTLED_WITHIN_MS,
    });
    const faults = Object.entries(FAULTS);
    const homes = accountsOf(MANY_TO_MANY);
    const dumps = [await stage.redis.save()];
    try {
      for (let round = 0; round < ROUNDS; round++) {
        const [name = '', fault] = faults[round % faults.length] ?? [];
        const began = performance.now();
        const feeding = feed(traffic);
        await traffic.moves(random(1, MOVES_MAX));
        const dump = await stage.redis.save();
        const before = traffic.acknowledged.size;
        const failedAt = performance.now();
        // Each fault meets each home in turn.
        const { accountRegNo: home = '' } = homes[(round + Math.floor(round / faults.length)) % homes.length] ?? {};
        await fault?.({ ...stage, random, home, dumps, takeovers, toll });
        dumps.push(dump);
        const lasted = performance.now() - failedAt;
        const meanwhile = traffic.acknowledged.size - before;
        await feeding;
        const owed = (round + 1) * DOCUMENTS_PER_ROUND;
        await traffic.more(owed - traffic.acknowledged.size);
        await traffic.arrived(owed, owed);
        expect([...traffic.arrivals()].filter(([id, times]) => times !== 1 || !traffic.acknowledged.has(id))).toEqual([]);
        console.log(
          `  round ${round + 1}: ${name}, ${Math.round(lasted)} ms, ${meanwhile} acknowledged meanwhile, all arrived after ${Math.round(performance.now() - began)} ms`,
        );
      }
      await traffic.uploaded;
      for (const keeper of keepers) await keeper.stop();
      await traffic.settle();
    } finally {
      for (const keeper of keepers) await keeper.stop();
      await traffic.stop();
    }
    const { acknowledged, tries, lost, twice, late } = await traffic.tally();
    const starts = keepers.reduce((sum, each) => sum + each.starts, 0);
    const secondsAll = Math.round((performance.now() - beganAt) / 1_000);
    console.log(
      `${FIGURES}: ${ROUNDS} rounds of ${faults.length} faults in ${secondsAll} s, ${tries} tries for ${acknowledged} acknowledged documents, ${traffic.resumed} gone on with, ${lost.length} lost, ${twice.length} twice, ${late.length} late, ${starts} starts, seed ${SEED}`,
    );
    const lostLeases = stage.nodes.flatMap(({ daemon }) => daemon.exits).filter((status) => status === LOST_HOMES).length;
    console.log(
      `${FIGURES}: ${takeovers.figures()}, ${goneFigures(toll)}, ${lostLeases - toll.leases} leases lost for no fault of their own`,
    );
    for (const id of late) console.log([`${id} came late:`, ...traffic.story(id)].join('\n'));
    expect({ acknowledged, lost, twice, late }).toEqual({ acknowledged: documents, lost: [], twice: [], late: [] });
    expect(traffic.resumed).toBeGreaterThan(0);
    if (ROUNDS >= faults.length) expect(takeovers.beyondMsAtP99).toBeLessThan(GONE_ON_WITHIN_MS);
  },
);

/** ERPs have the documents of a round, some at once and the others one after the other. */
async function feed(traffic: Traffic): Promise<void> {
  traffic.goOn(RECEIVERS.length);
  for (let left = DOCUMENTS_PER_ROUND - RECEIVERS.length; left > 0; left--) {
    await pause(ONE_EVERY_MS);
    traffic.goOn(1);
  }
}

/** Who has the home now; while it changes hands, the next one. */
function ownerNow({ ownerOf, home }: Round): Promise<GatewayNode & { readonly incarnation: string }> {
  return until(`an owner of ${home}`, () => ownerOf(home), 2 * (TIMES.leaseMs + GONE_ON_WITHIN_MS));
}

function goneFigures({ goneMs }: Toll): string {
  return `${goneMs.length} woken processes gone after ${Math.round(median(goneMs))} ms at the median, ${Math.round(Math.max(...goneMs))} ms at the most`;
}

async function killed(daemon: TestDaemon | undefined): Promise<void> {
  await daemon?.kill();
}

function eventsAfter(daemon: TestDaemon, before: number): (string | undefined)[] {
  return daemon
    .facts()
    .slice(before)
    .map(({ event }) => event);
}
