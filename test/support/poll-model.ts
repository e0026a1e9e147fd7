// A model of polling: a service in memory whose list moves, loses answers and shows documents late, a disk in memory, and a gateway that dies
// at any step, around the real sweep and the real ledger. One seed is one life of an account; what it says is what was lost and what came twice.

import { createHash } from 'node:crypto';
import { AppError } from '#domain/error.ts';
import type { FamilyName } from '#domain/family.ts';
import { markWritten, type Publication, readOwed } from '#gateway/ledger/publications.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import { readSweep } from '#gateway/ledger/sweeps.ts';
import { feedId } from '#gateway/model/feed.ts';
import { ALL_HOMES } from '#gateway/model/homes.ts';
import type { Publisher } from '#gateway/publish/publish.ts';
import { OWN_READING } from '#gateway/reader/reading.ts';
import type { FeedClient, Listed } from '#gateway/receive/feed-client.ts';
import { ingest } from '#gateway/receive/ingest.ts';
import type { Reading } from '#gateway/receive/reading.ts';
import type { Reconcile, sweepFeed } from '#gateway/receive/sweep.ts';
import { tryEach } from '#gateway/service/list-work.ts';
import { Semaphore } from '#runtime/concurrency.ts';
import { manualClock } from './clock.ts';
import { silent } from './core.ts';
import { randomOf } from './random.ts';

type Kind = 'usual' | 'late' | 'compared';

export interface ModelOptions {
  /** The sweep: the real one, or one with a defect. */
  readonly sweepFeed: typeof sweepFeed;
  readonly ledger: Ledger;
  /**
   * `late`: a tenth of the documents can be listed only some time after others that came later; then comparisons are made till the end. `compared`: comparisons
   * are made while documents come, and none after.
   */
  readonly kind: Kind;
}

export interface Outcome {
  readonly documents: number;
  readonly crashes: number;
  readonly sweeps: number;
  readonly lost: readonly string[];
  readonly twice: readonly string[];
}

interface Stored {
  readonly id: string;
  content: string;
  read: boolean;
  /** Listed from this step on. */
  readonly from: number;
}

const STEPS = 25;
const CRASH_PERCENT = 3;
const LOST_PERCENT = 8;
/** Minutes: more than it takes to set a document aside that has gone, and to try one again that was set aside. */
const QUIET_SWEEPS = 35;

/** What a process that dies says. */
class Death extends Error {}

export async function liveThrough(seed: number, { ledger: real, kind, ...model }: ModelOptions): Promise<Outcome> {
  const late = kind === 'late';
  const comparedPercent = { usual: 0, late: 15, compared: 40 }[kind];
  const random = randomOf(seed);
  const chance = (percent: number): boolean => random(1, 100) <= percent;
  const clock = manualClock();
  const family: FamilyName = seed % 2 === 0 ? 'Invoice' : 'Order';
  const limitMax = [3, 20, 100][random(0, 2)] ?? 100;
  /** A service that lists first what was marked read last; a start compares what was changed lately then, as it does in a daemon. */
  const relistsRead = seed % 3 === 0;
  /** Since the last start. */
  let hasCompared = false;
  /** It has died while a comparison paused, and compares when it starts, as a daemon always does. */
  let owesComparison = false;
  const count = { documents: 0, crashes: 0, sweeps: 0, versions: 0, ledgers: 0 };
  let step = 0;
  let calm = false;
  let dead = false;

  // The service.
  const stored: Stored[] = [];
  /** What was last fetched of each, and contents that were marked though they were not: by the read endpoint, or replaced in between. */
  const fetched = new Map<string, string>();
  const unseenMarks = new Set<string>();
  const visible = (): Stored[] => stored.filter(({ from }) => from <= step).reverse();
  const arrive = (howMany: number): void => {
    for (let index = 0; index < howMany; index++) {
      const from = late && chance(10) ? step + random(1, 4) : step;
      stored.push({ id: `${seed}-${count.documents++}`, content: `v${count.versions++}`, read: false, from });
    }
  };
  const relist = (held: Stored): void => void stored.push(...stored.splice(stored.indexOf(held), 1));
  const markRead = (held: Stored): void => {
    if (relistsRead && !held.read) relist(held);
    held.read = true;
  };
  const happen = (): void => {
    if (calm) return;
    if (chance(4)) arrive(random(1, 8));
    const any = stored[random(0, Math.max(stored.length - 1, 0))];
    if (any && chance(5)) {
      Object.assign(any, { content: `v${count.versions++}`, read: false });
      // Without reconciles only a service that lists what was changed anew shows it to sweeps that stop early.
      if (!late) relist(any);
    }
    if (any && chance(2)) stored.splice(stored.indexOf(any), 1);
  };

  // Dying.
  const die = (): never => {
    dead = true;
    throw new Death();
  };
  const mayDie = (): void => {
    if (dead) throw new Death();
    if (!calm && chance(CRASH_PERCENT)) die();
  };
  const request = async <Answer>(work: () => Answer): Promise<Answer> => {
    mayDie();
    happen();
    const answer = work();
    await null;
    mayDie();
    if (!calm && chance(LOST_PERCENT)) throw new AppError('internal', 'the answer was lost', { facts: { unanswered: chance(50) } });
    return answer;
  };
  const listed = ({ id, content }: Stored): Listed => ({ integrationId: id, listSha256: content, bytes: content.length });
  const feeds: FeedClient = {
    page: (_, { offset = 0 }, limit) =>
      request(() => {
        const taken = Math.min(limit, limitMax);
        return {
          limit: taken,
          items: visible()
            .slice(offset, offset + taken)
            .map(listed),
        };
      }),
    fetch: (_, integrationId) =>
      request(() => {
        const found = stored.find(({ id }) => id === integrationId);
        if (!found) throw new AppError('missing', 'it is gone');
        fetched.set(integrationId, found.content);
        return Buffer.from(found.content);
      }),
    mark: (_, integrationId) =>
      request(() => {
        const found = stored.find(({ id }) => id === integrationId);
        if (!found) return;
        markRead(found);
        if (fetched.get(integrationId) !== found.content) unseenMarks.add(found.content);
      }),
    unmark: () => request(() => undefined),
    drain: (_, limit) =>
      request(() => {
        const taken = visible()
          .filter(({ read }) => !read)
          .slice(0, limit);
        for (const each of taken) {
          markRead(each);
          unseenMarks.add(each.content);
        }
        return taken.map(listed);
      }),
    statuses: (_, offset, limit) =>
      request(() =>
        visible()
          .slice(offset, offset + limit)
          .map(({ id, read }) => ({ integrationId: id, isRead: read })),
      ),
  };

  // The disk and the ledger.
  const staged = new Map<string, Buffer>();
  const outbox = new Map<string, string>();
  const published: string[] = [];
  const account = (): string => `model-${seed}-${count.ledgers}`;
  const ledger: Ledger = {
    read: real.read,
    scan: real.scan,
    async write(scopes, work, when) {
      mayDie();
      const result = await real.write(scopes, work, when);
      mayDie();
      return result;
    },
    get commits() {
      return real.commits;
    },
    connections: real.connections,
    wipe: () => real.wipe(),
    claim: (...claimed) => real.claim(...claimed),
    outlive: (name, known) => real.outlive(name, known),
    isConnected: (name) => real.isConnected(name),
    isFirst: (silentMs) => real.isFirst(silentMs),
    close: () => real.close(),
  };
  const place = async (owed: Publication): Promise<void> => {
    const bytes = staged.get(owed.staged);
    if (bytes) {
      outbox.set(owed.name, bytes.toString());
      published.push(`${owed.name} ${bytes.toString()}`);
      staged.delete(owed.staged);
    }
    mayDie();
    await real.write([], (rows) => markWritten(rows, [owed.publication], clock.now()));
  };
  const publisher: Pick<Publisher, 'hand'> = {
    async hand(_, bytes, decide) {
      mayDie();
      const name = `staged-${seed}-${random(0, 2 ** 31 - 1)}-${published.length}`;
      staged.set(name, Buffer.from(bytes));
      mayDie();
      const decided = (await ledger.write([], (rows) => decide(rows, name))).filter((each) => each !== null);
      if (!decided.some((each) => each.staged === name)) staged.delete(name);
      for (const each of decided) await place(each);
      return decided;
    },
  };
  const parts = () => ({
    ledger,
    feeds,
    publisher,
    accounts: { find: () => undefined, readersOf: () => [] },
    archive: { keep: async () => undefined },
    parties: { note: () => {} },
    fetched: OWN_READING.fetched,
    held: new Semaphore(1_000),
    clock,
    log: silent,
    pageFirst: [5, 10, 25][random(0, 2)] ?? 25,
    data: '/nowhere',
    unfinished: new Map(),
    comparisons: new Map<string, Reading>(),
    comparedPages: [1, 3, 8][random(0, 2)] ?? 8,
    notings: new Map(),
    gotFurther: () => undefined,
    marksAtOnce: 4,
  });
  let process = parts();
  const restart = async (): Promise<void> => {
    count.crashes++;
    dead = false;
    hasCompared = false;
    owesComparison ||= process.comparisons.size > 0;
    const owed = (await readOwed(real.read, ALL_HOMES)).filter(({ accountRegNo }) => accountRegNo === account());
    const before = calm;
    calm = true;
    for (const each of owed) await place(each);
    calm = before;
    for (const name of staged.keys()) staged.delete(name);
    process = parts();
  };

  const sweep = async (reconcile: Reconcile): Promise<void> => {
    count.sweeps++;
    try {
      const due = (): Reconcile => ((relistsRead && !hasCompared) || owesComparison ? 'recent' : reconcile);
      const swept = await model.sweepFeed(process, { accountRegNo: account(), family }, { from: 'unread', marks: true }, due);
      hasCompared ||= swept.hasCompared;
      owesComparison &&= !swept.hasCompared;
    } catch (error) {
      if (!(error instanceof Death) && !(error instanceof AppError)) throw error;
    }
    if (dead) await restart();
    // What pauses is swept again at once.
    else if (calm && process.comparisons.size > 0) await sweep(reconcile);
  };

  /** The service names documents that came: they are fetched before any sweep. */
  const name = async (named: readonly Stored[]): Promise<void> => {
    const feed = { accountRegNo: account(), family };
    if ((await readSweep(real.read, feed)).start !== 'started' || process.unfinished.has(feedId(feed))) return;
    try {
      await tryEach(named, 4, ({ id }) => ingest(process, feed, { integrationId: id }, ['published', 'seen', 'unread', 'stuck']));
    } catch (error) {
      if (!(error instanceof Death) && !(error instanceof AppError)) throw error;
    }
    if (dead) await restart();
  };

  // A lost ledger leaves the marks: what was not marked may come twice, and what was marked unseen may be missing.
  const mayRepeat = new Set<string>();
  const mayMiss = new Set<string>();
  const loseLedger = async (): Promise<void> => {
    const { start } = await readSweep(real.read, { accountRegNo: account(), family });
    if (start !== 'started') return;
    for (const { id, content, read } of stored) {
      if (!read) mayRepeat.add(id);
      else if (unseenMarks.has(content) && !published.some((each) => each.endsWith(` ${content}`))) mayMiss.add(content);
    }
    staged.clear();
    count.ledgers++;
    process = parts();
  };

  arrive(random(0, 15));
  const readBefore = new Set(stored.filter(() => chance(50)).map((each) => Object.assign(each, { read: true }).content));
  for (step = 1; step <= STEPS; step++) {
    clock.advance(60_000);
    happen();
    if (chance(40)) outbox.clear();
    if (family === 'Invoice' && chance(3)) await loseLedger();
    const unread = visible().filter(({ read }) => !read);
    if (chance(30)) await name(unread.slice(0, random(1, 12)));
    await sweep(comparedPercent > 0 && chance(comparedPercent) ? 'recent' : null);
  }
  step += 10;
  calm = true;
  for (let index = 0; index < QUIET_SWEEPS; index++) {
    clock.advance(60_000);
    await sweep(late ? 'recent' : null);
  }

  // What was published, as `id content`.
  const contents = new Map<string, number>();
  for (const each of published) {
    const content = each.slice(each.lastIndexOf(' ') + 1);
    contents.set(content, (contents.get(content) ?? 0) + 1);
  }
  const idOf = new Map(stored.map(({ id, content }) => [content, id]));
  const isMissing = ({ content }: Stored): boolean => !contents.has(content) && !readBefore.has(content) && !mayMiss.has(content);
  const lost = stored.filter(isMissing).map(({ id, content }) => `${id} ${content}`);
  const twice = [...contents].filter(([content, times]) => times > 1 && !isExcused(content, times)).map(([content]) => content);
  function isExcused(content: string, times: number): boolean {
    const id = idOf.get(content);
    return times <= 1 + count.ledgers && (id === undefined ? count.ledgers > 0 : mayRepeat.has(id));
  }
  return { documents: count.documents, crashes: count.crashes, sweeps: count.sweeps, lost, twice };
}

/** A digest of what happened, to show that a seed repeats. */
export function fingerprint(outcomes: readonly Outcome[]): string {
  return createHash('sha256').update(JSON.stringify(outcomes)).digest('hex').slice(0, 12);
}
