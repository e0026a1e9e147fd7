// The daemon with its ledgers in PostgreSQL, while documents go through: in each round one of the two is killed, a COMMIT or its answer is lost on the way, or
// the disk of PostgreSQL is full. In the end every upload that was acknowledged has arrived, exactly once. DROPGATE_POSTGRES_FAULTS is how
// many rounds there are (5; the whole has 100), DROPGATE_KILL_SEED repeats a run.
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { amountOf } from '../support/amounts.ts';
import { startDaemon, type TestDaemon } from '../support/daemon.ts';
import { connectedTo, hasPostgres, newPostgresDatabase, type PostgresDatabase } from '../support/postgres.ts';
import { type StartedPostgres, startPostgres } from '../support/postgres-server.ts';
import { randomOf } from '../support/random.ts';
import { type HeldCommit, type Relay, startRelay } from '../support/relay.ts';
import { canMount, mountSmallDisk, type SmallDisk } from '../support/small-disk.ts';
import { keepAlive } from './keep-alive.ts';
import { accountsOf, ONE_TO_ONE, RECEIVERS } from './parties.ts';
import { startTraffic } from './traffic.ts';

const ROUNDS = amountOf('DROPGATE_POSTGRES_FAULTS');
const SEED = Number(process.env.DROPGATE_KILL_SEED ?? Date.now() % 1_000_000);
const DOCUMENTS_PER_ROUND = 12;
/** Acknowledgements and arrivals between two faults, at the most. */
const MOVES_MAX = 12;
const AFTERWARDS_MS_MAX = 60;
const DISK_BYTES = 256 * 2 ** 20;
const PAGE_BYTES = 4_096;
/** For how long it is full. */
const FULL_MS = [200, 1_500] as const;
/** A document that has met six faults waits a quarter of an hour. */
const SETTLED_WITHIN_MS = 1_200_000;

/** Segments are short, so that a full disk is met by those, too. */
const SHORT_LOG = { initial: ['--wal-segsize=1'], settings: { min_wal_size: '2MB', max_wal_size: '8MB' } };

interface Stage {
  readonly daemon: TestDaemon;
  readonly postgres: StartedPostgres;
  readonly database: PostgresDatabase;
  readonly relay: Relay;
  readonly disk: SmallDisk;
  readonly random: ReturnType<typeof randomOf>;
}

/** What happens in a round; what has ended by it is started again afterwards. */
const FAULTS: Readonly<Record<string, (stage: Stage) => Promise<unknown>>> = {
  'the daemon killed': ({ daemon }) => daemon.kill(),
  'PostgreSQL killed': ({ postgres }) => postgres.crash('SIGKILL'),
  async 'the answer to a COMMIT lost'({ relay }) {
    const commit = await nextCommit(relay);
    await commit.deliver();
    commit.cutProcess();
  },
  async 'the disk of PostgreSQL full'({ disk, random }) {
    disk.fill(random(0, 63) * PAGE_BYTES);
    await pause(random(...FULL_MS));
    disk.empty();
  },
  async 'PostgreSQL killed during a COMMIT'({ relay, postgres }) {
    const commit = await nextCommit(relay);
    commit.pass();
    await postgres.crash('SIGKILL');
  },
  async 'a COMMIT lost'({ relay }) {
    const commit = await nextCommit(relay);
    commit.cutServer();
    commit.cutProcess();
  },
  async 'a process of PostgreSQL killed'({ database, random }) {
    const { rows } = await database.administer(`select pid from pg_stat_activity where application_name like 'dropgate %' order by pid`);
    process.kill(rows[random(0, rows.length - 1)].pid, 'SIGKILL');
  },
};

it.runIf(hasPostgres && canMount())(
  `every acknowledged upload arrives exactly once, though PostgreSQL and the way to it fail (seed ${SEED})`,
  { timeout: SETTLED_WITHIN_MS + ROUNDS * 60_000 },
  async () => {
    const random = randomOf(SEED);
    using disk = mountSmallDisk(DISK_BYTES);
    await using postgres = await startPostgres({ ...SHORT_LOG, parent: disk.folder });
    const database = await newPostgresDatabase({ server: postgres.server });
    const relay = await startRelay(postgres.server);
    const { config, env } = connectedTo(database.place, relay);
    await using daemon = await startDaemon({
      accounts: accountsOf(ONE_TO_ONE),
      config: { ...config, sftp: { listen: '127.0.0.1:0', unauthenticatedPerAddressMax: 100 }, core: { requests: 1_000_000 } },
      env,
    });
    const stage: Stage = { daemon, postgres, database, relay, disk, random };
    const faults = Object.entries(FAULTS);
    await using keeper = keepAlive(daemon);
    const documents = ROUNDS * DOCUMENTS_PER_ROUND;
    const traffic = startTraffic({
      gateway: daemon,
      core: daemon,
      documents,
      uploadsAtOnce: RECEIVERS.length,
      settledWithinMs: SETTLED_WITHIN_MS,
    });
    try {
      for (let round = 0; round < ROUNDS; round++) {
        const [name = '', fault] = faults[round % faults.length] ?? [];
        await traffic.moves(random(1, MOVES_MAX)).then(() => pause(random(0, AFTERWARDS_MS_MAX)));
        console.log(`round ${round + 1}: ${name}`);
        await fault?.(stage);
        await postgres.restart();
      }
      await traffic.uploaded;
      await traffic.arrived(documents, documents);
      await keeper.stop();
      await traffic.settle();
    } finally {
      await traffic.stop();
    }
    const tally = await traffic.tally();
    const { acknowledged, tries, lost, twice } = tally;
    console.log(
      `PostgreSQL: ${ROUNDS} rounds of ${faults.length} faults, ${tries} tries for ${acknowledged} acknowledged documents, ${lost.length} lost, ${twice.length} twice, ${keeper.starts} starts, seed ${SEED}`,
    );
    expect(tally).toMatchObject({ acknowledged: documents, lost: [], twice: [] });
  },
);

function nextCommit(relay: Relay): Promise<HeldCommit> {
  return new Promise((found) => {
    relay.atCommit = (commit) => {
      relay.atCommit = null;
      found(commit);
    };
  });
}
