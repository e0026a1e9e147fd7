// ERPs that go on whatever dies: one uploads, and again what was not acknowledged; another takes away what came. In the end each document
// is counted: every one that was acknowledged must have arrived, and none twice.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Fact, TestDaemon } from '../support/daemon.ts';
import { invoice } from '../support/documents.ts';
import type { randomOf } from '../support/random.ts';
import { until } from '../support/until.ts';
import type { Homes } from '../support/world/homes.ts';
import { cutUploads, openSession, type Session, Taker, wholeUploads } from './erps.ts';
import { ONE_TO_ONE, type Parties, type Party, RECEIVERS } from './parties.ts';

/** One gateway, or several that are reached as one. */
export type Gateway = Homes &
  Pick<TestDaemon, 'folder' | 'port' | 'knownHosts' | 'facts' | 'complaints' | 'start'> & { stop(): Promise<unknown> };
export type Core = Pick<TestDaemon, 'coreUrl' | 'apiKey' | 'facts' | 'complaints'>;

export interface TrafficOptions {
  /** Where the ERPs go. */
  readonly gateway: Gateway;
  /** Where the messages lie, and the accounts' keys are good. */
  readonly core: Core;
  /** `ONE_TO_ONE` when left out; of several sellers each pair uploads on its own. */
  readonly parties?: Parties;
  readonly documents: number;
  /** `each-pair`: each pair of parties has one that uploads its documents, one after the other. */
  readonly uploadsAtOnce: number | 'each-pair';
  /** So many are not begun before `goOn`. */
  readonly kept?: number;
  /** ERPs whose uploads are cut off, and who take away over SFTP; left out, they upload whole files, and take away by moving on the disk. */
  readonly cut?: ReturnType<typeof randomOf>;
  readonly settledWithinMs: number;
}

export interface Tally {
  readonly acknowledged: number;
  readonly tries: number;
  /** Acknowledged, and not at the receiver, or not in the core, or without a receipt. */
  readonly lost: readonly string[];
  /** More than once at the receiver or in the core, or with two receipts for one stage. */
  readonly twice: readonly string[];
  /** Files or lines that say that something else went wrong. */
  readonly odd: readonly string[];
  /** Received by the core before one that its ERP had uploaded earlier, to the same receiver; of a lane for each pair only. */
  readonly late: readonly string[];
  /** How often each document is at the receiver, and how often in the core, as sent and as received. */
  readonly places: Readonly<Record<'arrived' | 'sent' | 'received', ReadonlyMap<string, number>>>;
}

export interface Traffic {
  readonly acknowledged: ReadonlySet<string>;
  /** Resolves when all has been acknowledged. */
  readonly uploaded: Promise<unknown>;
  /** How many uploads were gone on with after they had been cut off. */
  readonly resumed: number;
  /** How often each document was taken away. */
  arrivals(): ReadonlyMap<string, number>;
  /** Begins with those that were kept, or with so many more of them. */
  goOn(documents?: number): void;
  /** Resolves when so many more have been acknowledged, or all. */
  more(documents: number): Promise<unknown>;
  /** Whether every document has been acknowledged and has arrived. */
  isDone(): boolean;
  /** Resolves when so many more have been acknowledged or have arrived, or all. */
  moves(steps: number): Promise<unknown>;
  /** Waits until nothing moves any more, but for documents that cannot come. */
  settle(missing?: ReadonlySet<string>): Promise<void>;
  /** Waits until so many documents have arrived, and so many receipts: what more is owed is lost. */
  arrived(documents: number, receipts: number): Promise<void>;
  /** Documents whose files the gateway has in its spool. */
  spooled(): Set<string>;
  tally(): Promise<Tally>;
  /** What the logs tell of a document, and of the next ones of its pair, in the order of time. */
  story(id: string): string[];
  stop(): Promise<void>;
}

interface Document {
  readonly at: number;
  readonly seller: Party;
  readonly receiver: string;
  readonly id: string;
  readonly name: string;
  readonly bytes: Buffer;
}

const LOOK_EVERY_MS = 100;
/** How soon an ERP tries again; later each time, for many who do so at once leave a busy server no time for anything else. */
const AGAIN_MS = 20;
const AGAIN_MS_MAX = 1_000;

export function startTraffic(options: TrafficOptions): Traffic {
  const { gateway, core, parties = ONE_TO_ONE, uploadsAtOnce, settledWithinMs } = options;
  const sellers = parties.sellers.map(({ accountRegNo }) => accountRegNo);
  const buyers = parties.buyers.map(({ accountRegNo }) => accountRegNo);
  const documents = Array.from({ length: options.documents }, (_, at) => documentOf(at, parties));
  const ids = new Map(documents.map(({ id, bytes }) => [digest(bytes), id]));
  const acknowledged = new Set<string>();
  const tries = new Map<string, number>();
  const taken = join(gateway.folder, 'taken');
  mkdirSync(taken);
  let takenCount = 0;
  const arrivedTimes = new Map<string, number>();
  const stopping = new AbortController();
  let going = Promise.withResolvers<void>();
  let begun = documents.length - (options.kept ?? 0);
  const uploading = options.cut ? cutUploads(options.cut) : wholeUploads();
  const takers = options.cut ? parties.buyers.map(({ login }) => new Taker(() => ({ ...gateway, login }), keep)) : null;
  const left = documents.values();
  const lanes =
    uploadsAtOnce === 'each-pair'
      ? RECEIVERS.map((receiver) => documents.filter((document) => document.receiver === receiver))
      : Array.from({ length: uploadsAtOnce }, () => left);
  const uploaded = Promise.all(lanes.map(uploadAll));
  const taking = takeAway();

  /** As an ERP does: one file after the other, and again what was not acknowledged. */
  async function uploadAll(some: Iterable<Document>): Promise<void> {
    let session: Session | null = null;
    let failures = 0;
    for (const document of some) {
      const { login } = document.seller;
      while (document.at >= begun && !stopping.signal.aborted) await going.promise;
      while (!acknowledged.has(document.id) && !stopping.signal.aborted) {
        try {
          session ??= await openSession({ ...gateway, login });
          tries.set(document.id, (tries.get(document.id) ?? 0) + 1);
          await Promise.race([uploading.upload(session.sftp, document), session.lost]);
          acknowledged.add(document.id);
          failures = 0;
        } catch {
          session?.end();
          session = null;
          await pause(Math.min(AGAIN_MS * 2 ** failures++, AGAIN_MS_MAX));
        }
      }
    }
    session?.end();
  }

  function goOn(count = documents.length): void {
    begun += count;
    going.resolve();
    going = Promise.withResolvers();
  }

  /** What it took must not come back. */
  async function takeAway(): Promise<void> {
    while (!stopping.signal.aborted) {
      await takeOutboxes().catch(() => undefined);
      await pause(LOOK_EVERY_MS);
    }
    endTaking();
  }

  async function takeOutboxes(): Promise<void> {
    if (takers) return void (await Promise.all(takers.map((taker) => taker.take())));
    for (const { home, file } of filesIn(buyers, 'outbox')) {
      const path = pathFor(file);
      renameSync(gateway.home(home, 'outbox', file), path);
      count(path);
    }
  }

  function endTaking(): void {
    for (const taker of takers ?? []) taker.end();
  }

  function filesIn(homes: readonly string[], folder: string): HomeFile[] {
    return homes.flatMap((home) => gateway.files(home, folder).map((file) => ({ home, file })));
  }

  function pathFor(name: string): string {
    return join(taken, `${takenCount++}-${name}`);
  }

  function keep(name: string, bytes: Buffer): void {
    const path = pathFor(name);
    writeFileSync(path, bytes);
    count(path);
  }

  function count(path: string): void {
    const id = idOf(path);
    arrivedTimes.set(id, (arrivedTimes.get(id) ?? 0) + 1);
  }

  function idOf(path: string): string {
    return ids.get(digest(readFileSync(path))) ?? `unknown bytes in ${path}`;
  }

  const isDone = (): boolean => acknowledged.size >= documents.length && arrivedTimes.size >= documents.length;

  /** Files that are the gateway's to deliver. What a broken connection left of an upload is kept for a resume, and is no such file. */
  const committed = (): string[] => gateway.spooled().filter((name) => /^[0-9A-Z]{26}~(?![pb]~)/.test(name));
  const receipts = (): HomeFile[] => filesIn(sellers, 'receipts').filter(({ file }) => !file.endsWith('.delivered.json'));
  const rarely = (what: string, condition: () => boolean | Promise<boolean>): Promise<unknown> =>
    until(what, () => pause(LOOK_EVERY_MS).then(condition), settledWithinMs).catch((error: unknown) => {
      throw new Error(whereAllIs(), { cause: error });
    });
  /** For a person who has to find out what holds it up. */
  const whereAllIs = (): string => {
    const missing = [...acknowledged].filter((id) => !arrivedTimes.has(id));
    const outbox = filesIn(buyers, 'outbox').map(({ file }) => file);
    return `${acknowledged.size} were acknowledged, and have not arrived: ${missing}; in the spool: ${committed()}; in the outbox: ${outbox}; ${receipts().length} receipts`;
  };

  return {
    acknowledged,
    uploaded,
    get resumed() {
      return uploading.resumed;
    },
    arrivals: () => arrivedTimes,
    goOn,
    more(count) {
      const goal = Math.min(acknowledged.size + count, documents.length);
      return until('uploads to be acknowledged', () => acknowledged.size >= goal || stopping.signal.aborted, settledWithinMs);
    },
    isDone,
    moves(count) {
      const goal = acknowledged.size + arrivedTimes.size + count;
      const isMoved = (): boolean => acknowledged.size + arrivedTimes.size >= goal || isDone() || stopping.signal.aborted;
      return until('documents to be acknowledged or to arrive', isMoved, settledWithinMs);
    },
    async settle(missing = new Set()) {
      const owed = [...acknowledged].filter((id) => !missing.has(id));
      await rarely('the spool to be empty', () => committed().length === 0);
      await rarely('every document to arrive', () => owed.every((id) => arrivedTimes.has(id)));
      await rarely('every receipt', () => receipts().length >= owed.length);
      // What would come twice has its chance to come: a whole stop, start and reconcile.
      await gateway.stop();
      await gateway.start();
      for (const buyer of buyers)
        await rarely('the marks of all messages', async () => (await ask(core, buyer, 'incoming/status?limit=1')).status === 204);
    },
    spooled: () => new Set(committed().flatMap((name) => /KILL-\d+/.exec(name) ?? [])),
    async arrived(documentsThere, receiptsThere) {
      await rarely('the documents', () => takenCount >= documentsThere);
      await rarely('the receipts', () => receipts().length >= receiptsThere);
    },
    async tally() {
      // The gateway was stopped and started: a session that was open then is lost.
      await until('the outbox to be empty', () =>
        takeOutboxes().then(
          () => true,
          () => false,
        ),
      );
      endTaking();
      const arrived = readdirSync(taken).map((name) => idOf(join(taken, name)));
      const sent = await messagesOf(sellers, 'outgoing');
      const received = await messagesOf(buyers, 'incoming');
      const answered = receipts().map((each) => ({ file: each.file, ...receiptOf(gateway, each) }));
      const byPlace = { arrived: timesEach(arrived), sent: timesEach(sent), received: timesEach(received) };
      const places = Object.values(byPlace);
      const owed = [...acknowledged];
      const withReceipt = new Set(answered.filter(({ stage }) => stage === 'accepted').map(({ name }) => name));
      return {
        acknowledged: acknowledged.size,
        tries: [...tries.values()].reduce((sum, each) => sum + each, 0),
        lost: owed.filter((id) => places.some((times) => !times.has(id)) || !withReceipt.has(`${id}.xml`)),
        twice: [
          ...new Set(places.flatMap((times) => [...times].filter(([, count]) => count > 1).map(([id]) => id)).concat(repeated(answered))),
        ],
        odd: [
          ...arrived.filter((id) => id.startsWith('unknown')),
          ...answered.filter(({ stage }) => stage !== 'accepted' && stage !== 'duplicate').map(({ file }) => file),
          ...filesIn([...sellers, ...buyers], '.staged').map(({ file }) => file),
          ...[gateway, core].flatMap((each) =>
            each
              .facts()
              .filter(isBad)
              .map((fact) => JSON.stringify(fact)),
          ),
          ...[gateway.complaints(), core.complaints()].filter((each) => each !== ''),
        ],
        late: lateOf(documents, received),
        places: byPlace,
      };
    },
    story(id) {
      const { at = 0 } = documents.find((each) => each.id === id) ?? {};
      const told = [0, 1, 2].map((next) => `KILL-${at + next * RECEIVERS.length}`);
      const answered = receipts().map((each) => receiptOf(gateway, each));
      const items = answered.flatMap(({ name, item }) => (told.includes(name.replace('.xml', '')) ? [item] : []));
      const lines = [gateway, core].flatMap((each) => each.facts().map((fact) => JSON.stringify(fact)));
      const words = [...told.map((name) => `"${name}"`), ...told.map((name) => `${name}.xml`), ...items];
      const ofThem = lines.filter((line) => words.some((word) => line.includes(word)));
      return ofThem.sort((one, other) => timeIn(one) - timeIn(other));
    },
    async stop() {
      stopping.abort();
      goOn();
      await taking;
      await uploaded;
    },
  };

  async function messagesOf(accounts: readonly string[], direction: string): Promise<string[]> {
    return (await Promise.all(accounts.map((account) => messages(core, account, direction)))).flat();
  }

  /**
   * A file whose CLOSE was not answered may be the gateway's all the same, and then the ERP sends it again: each of the two is an item with
   * one receipt. Both name the one message that came of them.
   */
  function repeated(answered: readonly { readonly name: string; readonly item: string; readonly integrationId: string }[]): string[] {
    const items = timesEach(answered.map(({ item }) => item));
    const messagesOf = new Map<string, Set<string>>();
    for (const { name, integrationId } of answered) messagesOf.set(name, (messagesOf.get(name) ?? new Set()).add(integrationId));
    return [
      ...[...items].filter(([, count]) => count > 1).map(([item]) => item),
      ...[...messagesOf].filter(([, found]) => found.size > 1).map(([name]) => name),
    ];
  }
}

/** The newest is the first of what was received. */
function lateOf(documents: readonly Document[], received: readonly string[]): string[] {
  const known = new Map(documents.map((document) => [document.id, document]));
  /** By receiver: the last that was uploaded, of those that have come so far. */
  const last = new Map<string, number>();
  return received.toReversed().filter((id) => {
    const { receiver = '', at = 0 } = known.get(id) ?? {};
    const before = last.get(receiver) ?? 0;
    last.set(receiver, Math.max(before, at));
    return at < before;
  });
}

function timeIn(line: string): number {
  return Date.parse(/"time":"([^"]+)"/.exec(line)?.[1] ?? '');
}

/** Each receiver has one seller. */
function documentOf(at: number, { sellers }: Parties): Document {
  const pair = at % RECEIVERS.length;
  const [receiver = '', seller] = [RECEIVERS[pair], sellers[pair % sellers.length]];
  if (!seller) throw new RangeError('somebody has to send');
  const [sender] = seller.participants;
  const id = `KILL-${at}`;
  return { at, seller, receiver, id, name: `${id}.xml`, bytes: Buffer.from(invoice({ id, receiver, ...(sender && { sender }) })) };
}

interface HomeFile {
  readonly home: string;
  readonly file: string;
}

function receiptOf(gateway: Gateway, { home, file }: HomeFile): { name: string; item: string; stage: string; integrationId: string } {
  const [, name = '', item = '', stage = ''] = /^(KILL-\d+\.xml)\.(\w+)\.(\w+)\.json$/.exec(file) ?? [];
  const { integrationId } = JSON.parse(gateway.read(home, 'receipts', file).toString());
  return { name, item, stage, integrationId };
}

/** A balancer says so while no core is in time with its answers to the checks. */
const NOBODY_THERE = 503;

async function messages(core: Core, accountRegNo: string, direction: string): Promise<string[]> {
  const ids: string[] = [];
  for (;;) {
    const response = await until('an answer', async () => {
      const answer = await ask(core, accountRegNo, `${direction}?limit=100&offset=${ids.length}&includeRead=true`);
      return answer.status === NOBODY_THERE ? undefined : answer;
    });
    if (response.status === 204) return ids;
    if (response.status !== 200) throw new Error(`${direction}: ${response.status} ${await response.text()}`);
    ids.push(...listOf<{ Invoice: { ID: { _: string } } }>(await response.json()).map(({ Invoice }) => Invoice.ID._));
  }
}

function ask(core: Core, accountRegNo: string, path: string): Promise<Response> {
  const headers = { authorization: `ApiKey ${core.apiKey(accountRegNo)}`, accept: 'application/json' };
  return fetch(`${core.coreUrl}/transaction/${accountRegNo}/invoices/${path}`, { headers });
}

/** A core that is being killed is somebody whom the gateway cannot reach: that is no error of its own. */
function isBad({ level }: Fact): boolean {
  return level === 'error';
}

function timesEach(ids: readonly string[]): Map<string, number> {
  const times = new Map<string, number>();
  for (const id of ids) times.set(id, (times.get(id) ?? 0) + 1);
  return times;
}

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64');
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
function listOf<Item>(body: any): Item[] {
  return body.data;
}
