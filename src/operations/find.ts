// Finding documents by what a person knows of them; and of one everything that happened to it.
import { type Static, Type } from 'typebox';
import { selectParticipantsOf } from '#core/ledger/accounts.ts';
import { isoTime } from '#domain/day.ts';
import { AppError } from '#domain/error.ts';
import { FAMILY_NAMES } from '#domain/family.ts';
import { readAccounts } from '#gateway/ledger/accounts.ts';
import type { KnownFailedUpload } from '#gateway/ledger/failed-uploads.ts';
import { nameText } from '#gateway/model/file-names.ts';
import { FIND_STATES } from '#gateway/model/item.ts';
import { findDocuments, type Hit, type HitPosition, idOf, PARTICIPANTS_MAX, positionOf } from '#gateway/operate/find.ts';
import { timelineOf } from '#gateway/operate/timeline.ts';
import { readPeriods } from '#gateway/retention/periods.ts';
import { Count, Moment, MomentOrNull, msOf, TextOrNull } from './forms.ts';
import { gatewayOf, type Installation } from './installation.ts';
import { operation } from './operation.ts';

const FOUND_MAX = 1_000;
/** Accounts by their names where was looked. */
const NAMED_MAX = 10;
const TEXT_MAX = 255;

const Found = Type.Object({
  kind: Type.Enum(['dropped', 'received', 'failed']),
  /** Of the item, or of the failed upload; of a received document its integrationId. */
  id: Type.String(),
  at: Moment,
  /** Of an upload that failed the home. */
  accountRegNo: Type.String(),
  state: Type.String(),
  /** What the network was last heard to say. */
  network: TextOrNull,
  family: TextOrNull,
  documentId: TextOrNull,
  fileName: TextOrNull,
  sender: TextOrNull,
  receiver: TextOrNull,
  integrationId: TextOrNull,
  login: TextOrNull,
  size: Type.Union([Count, Type.Null()]),
  reason: TextOrNull,
});

const Timeline = Type.Object({
  happened: Type.Array(
    Type.Object({ at: Moment, what: Type.String(), detail: Type.String(), tookMs: Type.Union([Type.Integer(), Type.Null()]) }),
  ),
  files: Type.Array(Type.Object({ folder: Type.String(), name: Type.String(), isHere: Type.Boolean() })),
  findings: Type.Array(
    Type.Object({ rule: Type.String(), severity: Type.String(), message: Type.String(), line: Type.Optional(Type.Number()) }),
  ),
  /** No receipt here tells them: the document was judged again, by the rules of the day on which it was refused. */
  isJudgedAgain: Type.Boolean(),
  /** Of an upload that failed: until then it is found, unless too many of its home fail; null of all others. */
  rememberedUntil: MomentOrNull,
});

export const find = operation(
  Type.Object({
    text: Type.String({ minLength: 1, maxLength: TEXT_MAX }),
    accountRegNo: Type.Optional(Type.String()),
    family: Type.Optional(Type.Enum(FAMILY_NAMES)),
    states: Type.Optional(Type.Array(Type.Enum(FIND_STATES), { minItems: 1 })),
    since: Type.Optional(Moment),
    until: Type.Optional(Moment),
    /** Of what is found the one with this id. */
    id: Type.Optional(Type.String()),
    /** What `next` was: goes on there. */
    behind: Type.Optional(Type.String()),
    limit: Type.Integer({ minimum: 1, maximum: FOUND_MAX }),
  }),
  Type.Object({
    found: Type.Array(Found),
    /** Where the next ones stand; null where there are none. */
    next: TextOrNull,
    /** Of one that was found. */
    timeline: Type.Union([Timeline, Type.Null()]),
    /** Where was looked: by the start of what is known, or by a part of it; how far back, null being everything; in how many accounts. */
    looked: Type.Object({
      by: Type.Enum(['start', 'part']),
      since: MomentOrNull,
      until: MomentOrNull,
      accounts: Count,
      /** The first of them. */
      accountRegNos: Type.Array(Type.String()),
      data: Type.String(),
    }),
  }),
  async (on, { since, until, id, behind, ...wish }) => {
    const gateway = gatewayOf(on);
    const { core } = on;
    const search = await findDocuments(gateway, {
      ...wish,
      // One more tells whether there are more.
      limit: wish.limit + 1,
      ...(behind !== undefined && { behind: positionIn(behind) }),
      ...(since !== undefined && { sinceMs: msOf(since) }),
      ...(until !== undefined && { untilMs: msOf(until) }),
      registered: async (how) => (core ? selectParticipantsOf(core.ledger.read, wish.text, how, PARTICIPANTS_MAX) : []),
    });
    const told = search.hits.slice(0, wish.limit);
    const last = search.hits.length > wish.limit ? told.at(-1) : undefined;
    const hits = told.filter((hit) => id === undefined || idOf(hit) === id);
    const [only, other] = hits;
    const accounts = (await readAccounts(gateway.ledger.read)).filter(
      ({ accountRegNo }) => wish.accountRegNo === undefined || accountRegNo === wish.accountRegNo,
    );
    const accountRegNos = accounts.map(({ accountRegNo }) => accountRegNo);
    accountRegNos.sort();
    return {
      found: hits.map(factsOf),
      next: last ? textOf(positionOf(last)) : null,
      timeline: only && !other ? await timelineFacts(on, only) : null,
      looked: {
        by: search.how,
        since: isoTime(search.sinceMs),
        until: until ?? null,
        accounts: accounts.length,
        accountRegNos: accountRegNos.slice(0, NAMED_MAX),
        data: gateway.data,
      },
    };
  },
);

function textOf({ atMs, kind, key }: HitPosition): string {
  return [atMs, kind, key].join('.');
}

const PLACE = /^(\d{1,15})\.(?:(dropped)\.([0-9A-Z]{26})|(received|failed)\.(\d{1,15}))$/;

/** Throws `bad-request`. */
function positionIn(text: string): HitPosition {
  const [whole, at, , item, numbered, number] = PLACE.exec(text) ?? [];
  if (whole === undefined) throw new AppError('bad-request', `${text} is no place of a search.`);
  const atMs = Number(at);
  if (item !== undefined) return { atMs, kind: 'dropped', key: item };
  return { atMs, kind: numbered === 'received' ? 'received' : 'failed', key: Number(number) };
}

async function timelineFacts(on: Installation, hit: Hit): Promise<Static<typeof Timeline>> {
  const { happened, files, findings, isJudgedAgain } = await timelineOf(gatewayOf(on), hit);
  return {
    happened: happened.map(({ atMs, ...facts }) => ({ at: isoTime(atMs), ...facts })),
    files: [...files],
    isJudgedAgain,
    rememberedUntil: hit.kind === 'failed' ? await rememberedUntil(on, hit.upload) : null,
    findings: findings.map(({ rule, severity, message, line }) => ({ rule, severity, message, ...(line !== undefined && { line }) })),
  };
}

async function rememberedUntil(on: Installation, { home, atMs }: KnownFailedUpload): Promise<string> {
  const periods = await readPeriods(gatewayOf(on).ledger.read, on.config.gateway);
  return isoTime(atMs + periods.of(home).failedUploads);
}

function factsOf(hit: Hit): Static<typeof Found> {
  const common = { kind: hit.kind, id: idOf(hit), at: isoTime(hit.atMs) };
  if (hit.kind === 'dropped') {
    const { accountRegNo, state, network, family, documentId, fileName, sender, receiver, integrationId, login, size, reason } = hit.item;
    const document = { family, documentId, sender, receiver, integrationId };
    return { ...common, ...document, accountRegNo, state, network, login, size, reason, fileName: nameText(fileName) };
  }
  if (hit.kind === 'received') {
    const { accountRegNo, family, documentId, sender, receiver, integrationId } = hit.document;
    const unknown = { network: null, fileName: null, login: null, size: null, reason: null };
    return { ...common, ...unknown, state: 'received', accountRegNo, family, documentId, sender, receiver, integrationId };
  }
  const { home, login, size, reason, fileName } = hit.upload;
  const unknown = { network: null, family: null, documentId: null, sender: null, receiver: null, integrationId: null };
  return { ...common, ...unknown, accountRegNo: home, state: 'failed', login, size, reason, fileName: nameText(fileName) };
}
