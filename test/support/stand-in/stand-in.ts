// A stand-in for somebody else's service: it follows the specification, keeps documents, and can be told to behave badly. It counts what
// it holds, so that a test can say how many documents were lost, and how many came twice.
import { type Endpoint, endpointOf, type TransactionQuery } from '#contract/routes.ts';
import type { Direction } from '#domain/account.ts';
import { AppError } from '#domain/error.ts';
import { type Family, familyOfSegment } from '#domain/family.ts';
import type { Clock } from '#runtime/clock.ts';
import { type Reply, refusal, type Scripted, type ScriptedService, type Seen, startScriptedService } from '../scripted-service.ts';
import { type AccountKey, type Credentials, openCredentials } from './credentials.ts';
import { type Held, type Holding, type Identity, jsonTextOf, openHolding, type Place, xmlOf } from './held.ts';
import { type KeyBook, openKeyBook } from './key-book.ts';
import { type Limits, openLimits, type RequestLimit } from './limits.ts';
import { goodManners, type Manners } from './manners.ts';

export interface StandInOptions {
  readonly clock: Clock;
  /** accountRegNo → API key, or key and children. */
  readonly accounts: Readonly<Record<string, string | AccountKey>>;
  /** Ample when left out. */
  readonly limit?: RequestLimit;
}

export interface Tally {
  /** Documents that it does not have. */
  readonly lost: string[];
  /** Documents that it took in more than once. */
  readonly twice: string[];
}

export interface StandIn extends AsyncDisposable {
  readonly url: string;
  readonly manners: Manners;
  readonly holding: Holding;
  readonly credentials: Credentials;
  readonly limits: Limits;
  readonly keys: KeyBook;
  /** What was asked, oldest first, without bodies. */
  readonly requests: Request[];
  /** A request has not been answered yet. */
  busy(): boolean;
  /** A document reaches the account from elsewhere; it is shown in lists from `visibleAt` on, at the place of its arrival. */
  arrive(accountRegNo: string, bytes: Uint8Array, visibleAt?: number): Held;
  /** What became of the documents with these ids that the account has sent. */
  tally(accountRegNo: string, documentIds: Iterable<string>): Tally;
}

export interface Request extends Omit<Seen, 'body'> {
  readonly atMs: number;
  /** Null when nothing was answered. */
  readonly status: number | null;
}

const AMPLE: RequestLimit = { requests: 1_000_000, windowMs: 60_000, told: true };

export async function startStandIn({ clock, accounts, limit = AMPLE }: StandInOptions): Promise<StandIn> {
  const manners = goodManners();
  const holding = openHolding(clock);
  const keyed = Object.entries(accounts).map(([name, key]): [string, AccountKey] => [name, typeof key === 'string' ? { key } : key]);
  const credentials = openCredentials(clock, new Map(keyed));
  const limits = openLimits(clock, limit);
  const keys = openKeyBook(clock);
  const requests: Request[] = [];
  const parts: Parts = { clock, manners, holding, credentials, limits, keys };

  let open = 0;

  async function reply(seen: Seen): Promise<Reply> {
    const fault = await manners.fault(seen);
    const truth = !fault || fault.does ? await answerTo(parts, seen) : undefined;
    return fault?.answers ?? truth ?? 'reset';
  }

  async function script(seen: Seen): Promise<Reply> {
    open++;
    try {
      const said = await reply(seen);
      const { body: _, ...request } = seen;
      requests.push({ ...request, atMs: clock.now(), status: typeof said === 'string' ? null : said.status });
      return said;
    } finally {
      open--;
    }
  }

  const service: ScriptedService = await startScriptedService(script, { headers: {}, remembers: false });

  return {
    url: service.url,
    manners,
    holding,
    credentials,
    limits,
    keys,
    requests,
    busy: () => open > 0,
    arrive: (accountRegNo, bytes, visibleAt) =>
      holding.put({ accountRegNo, direction: 'incoming' }, holding.identify(bytes), bytes, visibleAt),
    tally(accountRegNo, documentIds) {
      const taken = new Map<string, number>();
      for (const held of holding.all) {
        if (held.accountRegNo !== accountRegNo || held.direction !== 'outgoing') continue;
        taken.set(held.documentId, (taken.get(held.documentId) ?? 0) + held.taken);
      }
      const ids = [...documentIds];
      return { lost: ids.filter((id) => !taken.has(id)), twice: ids.filter((id) => (taken.get(id) ?? 0) > 1) };
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

interface Parts {
  readonly clock: Clock;
  readonly manners: Manners;
  readonly holding: Holding;
  readonly credentials: Credentials;
  readonly limits: Limits;
  readonly keys: KeyBook;
}

interface Target {
  readonly place: Place;
  readonly family: Family;
  readonly endpoint: Endpoint;
  readonly seen: Seen;
}

async function answerTo(parts: Parts, seen: Seen): Promise<Scripted> {
  const { limits, credentials, manners } = parts;
  const token = credentials.token(seen);
  if (token) return token;
  const target = targetOf(seen);
  if (!target) return refusal(404, 'E_MISSING');
  const { accountRegNo } = target.place;
  if (!credentials.admits(seen, accountRegNo, manners.wantsTokens)) return refusal(401, 'E_CLIENT_UNSUCCESSFUL_AUTHENTICATION');
  const answer = limits.spend(accountRegNo) ?? (await act(parts, target));
  return { ...answer, headers: { ...limits.headers(accountRegNo), ...answer.headers } };
}

function targetOf(seen: Seen): Target | null {
  const [, top, accountRegNo = '', segment = '', direction, last] = seen.path.split('/').map(decodeURIComponent);
  const family = familyOfSegment(segment);
  if (top !== 'transaction' || !family || !isDirection(direction)) return null;
  const endpoint = last === undefined ? 'list' : endpointOf(family, last);
  return endpoint ? { place: { accountRegNo, direction }, family, endpoint, seen } : null;
}

function isDirection(text: string | undefined): text is Direction {
  return text === 'incoming' || text === 'outgoing';
}

async function act(parts: Parts, target: Target): Promise<Scripted> {
  try {
    if (target.seen.method === 'POST') return await create(parts, target);
    return target.endpoint === 'status' ? statuses(parts, target) : list(parts, target);
  } catch (error) {
    if (error instanceof AppError && (error.code === 'unreadable' || error.code === 'invalid')) return refusal(422, 'E_VALIDATION');
    throw error;
  }
}

async function create(parts: Parts, target: Target): Promise<Scripted> {
  const { manners, keys } = parts;
  const { seen, place } = target;
  const key = manners.honoursKeys ? seen.headers['idempotency-key'] : undefined;
  if (typeof key !== 'string') return store(parts, target);
  return keys.once(place.accountRegNo, key, seen.body, async () => {
    await manners.working(seen);
    return store(parts, target);
  });
}

function store({ holding, manners, clock }: Parts, { seen, place, family }: Target): Scripted {
  const identity = holding.identify(seen.body);
  if (identity.family !== family.name) return refusal(422, 'E_VALIDATION');
  const known = holding.find(place, identity);
  if (known && seen.query.get('overwrite') === 'true') {
    holding.replace(known, manners.stores(seen.body));
    return createdAs(family, known);
  }
  if (known && manners.refusesDuplicates) return refusal(409, 'E_CONFLICT', { integrationId: known.integrationId });
  return createdAs(family, put(identity));

  function put(named: Identity): Held {
    return holding.put(place, named, manners.stores(seen.body), manners.visibleAt(clock.now()));
  }
}

function createdAs(family: Family, { documentId, integrationId }: Held): Scripted {
  const ids = Object.fromEntries(family.idKeys.map((key) => [key, documentId]));
  return { status: 200, body: { status: 'success', data: { message: `${family.name} ${documentId} received`, ...ids, integrationId } } };
}

const LIMIT_DEFAULT = 3;

/** List and read endpoint; the read endpoint marks what it hands out. */
function list(parts: Parts, { place, family, endpoint, seen }: Target): Scripted {
  const { holding, manners, clock } = parts;
  const query = queryOf(seen.query);
  const xml = String(seen.headers.accept ?? '').includes('application/xml');
  const limit = xml ? 1 : (query.limit ?? LIMIT_DEFAULT);
  const offset = manners.ignoresOffset ? 0 : (query.offset ?? 0);
  if (limit > manners.limitMax || limit < 1) return refusal(400, 'E_BAD_REQUEST');
  const unreads = query.markUnread === true;
  if (unreads && !query.integrationId && !query.documentId && !query.from && !query.updatedAtFrom) return refusal(400, 'E_BAD_REQUEST');
  const unread = endpoint === 'read' && query.includeRead !== true && !unreads;
  const found = holding.select(place, family.name, query, unread).filter((held) => !unreads || held.readAt !== null);
  const page = found.slice(offset, offset + limit);
  if (endpoint === 'read') for (const held of page) handOut(held);
  const [first] = page;
  if (!first) return { status: 204, headers: {} };
  if (xml) return { status: 200, headers: { 'content-type': 'application/xml', integrationid: first.integrationId }, body: xmlOf(first) };
  const items = page.map((held) => `{"${family.name}":${jsonTextOf(held)},"integrationId":"${held.integrationId}"}`);
  return { status: 200, body: `{"status":"success","data":[${items.join(',')}]}` };

  function handOut(held: Held): void {
    if (manners.relistsRead && (held.readAt !== null) === unreads) holding.relist(held);
    held.readAt = unreads ? null : clock.now();
  }
}

/** Tells nothing of documents whose status is empty. */
function statuses({ holding, manners }: Parts, { place, family, seen }: Target): Scripted {
  const query = queryOf(seen.query);
  const { limit = LIMIT_DEFAULT, offset = 0 } = query;
  if (limit > manners.limitMax || limit < 1) return refusal(400, 'E_BAD_REQUEST');
  const told = holding.select(place, family.name, query, query.includeRead !== true).filter(({ status }) => status !== '');
  const page = told.slice(offset, offset + limit);
  if (page.length === 0) return { status: 204 };
  const body = page.map(({ integrationId, readAt, status }) => ({
    uuid: integrationId,
    readAt: readAt === null ? null : new Date(readAt).toISOString(),
    metadata: { status },
  }));
  return { status: 200, body };
}

function queryOf(parameters: URLSearchParams): TransactionQuery {
  const text = (name: string): string | undefined => parameters.get(name) ?? undefined;
  const number = (name: string): number | undefined => (parameters.has(name) ? Number(parameters.get(name)) : undefined);
  const entries = {
    limit: number('limit'),
    offset: number('offset'),
    includeRead: parameters.get('includeRead') === 'true',
    markUnread: parameters.get('markUnread') === 'true',
    integrationId: text('integrationId'),
    documentId: text('documentId'),
    from: text('from'),
    to: text('to'),
    updatedAtFrom: text('updatedAtFrom'),
    updatedAtTo: text('updatedAtTo'),
  };
  return Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== undefined));
}

/** For `calm`: whether it answers, or was asked since the last time. */
export function workOf(service: Pick<StandIn, 'busy' | 'requests'>): () => boolean {
  let asked = service.requests.length;
  return () => {
    const before = asked;
    asked = service.requests.length;
    return service.busy() || asked > before;
  };
}
