// Operations on the network: documents that were turned away before they came in, and how strangers find the participants of accounts.
import { type Static, Type } from 'typebox';
import { findTurnedAway, selectTurnedAway, type TurnedAway } from '#core/ledger/turned-away.ts';
import { type Checked, selectChecked } from '#core/ledger/watched.ts';
import { accountParticipants } from '#core/operate/administration.ts';
import { isoTime } from '#domain/day.ts';
import { findingsIn } from '#domain/document.ts';
import { AppError } from '#domain/error.ts';
import { LINED_BYTES_MAX } from '#gateway/operate/contents.ts';
import { Count, Finding, Moment, MomentOrNull, TextOrNull } from './forms.ts';
import { coreOf, type Installation } from './installation.ts';
import { Lines, linesNamed, linesOf } from './lines.ts';
import { operation } from './operation.ts';

/** Rows of one list. */
const LISTED_MAX = 10_000;

const Named = Type.Object({ instanceId: Type.String() });

const Kept = Type.Object({
  sequence: Count,
  instanceId: Type.String(),
  accountRegNo: Type.String(),
  sender: Type.String(),
  receiver: Type.String(),
  family: Type.String(),
  documentId: Type.String(),
  turnedAwayAt: Moment,
  sha256: Type.String(),
  size: Count,
  findings: Type.Array(Finding),
});

function keptFacts({ turnedAwayAt, findings, ...rest }: TurnedAway): Static<typeof Kept> {
  return { ...rest, turnedAwayAt: isoTime(turnedAwayAt), findings: findingsIn(JSON.parse(findings)) };
}

export const turnedAway = operation(
  Type.Object({
    accountRegNo: Type.Optional(Type.String()),
    /** The sequence of one: only those that came before it. */
    before: Type.Optional(Count),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LISTED_MAX })),
  }),
  Type.Array(Kept),
  async (on, { accountRegNo = null, before, limit = LISTED_MAX }) =>
    (await selectTurnedAway(coreOf(on).ledger.read, accountRegNo, limit, before)).map(keptFacts),
);

/** With the lines of the document that the findings name. */
export const show = operation(Named, Type.Object({ ...Kept.properties, lines: Lines }), async (on, { instanceId }) => {
  const { document: bytes, ...kept } = await found(on, instanceId);
  const facts = keptFacts(kept);
  return { ...facts, lines: linesOf(kept.size <= LINED_BYTES_MAX ? bytes : null, linesNamed(facts.findings)) };
});

export const document = operation(
  Named,
  Type.Object({
    instanceId: Type.String(),
    /** Base64. */
    document: Type.String(),
  }),
  async (on, { instanceId }) => {
    const { document: bytes } = await found(on, instanceId);
    if (!bytes) throw new AppError('missing', 'The document itself is not kept any more: ask its sender for it.');
    return { instanceId, document: Buffer.from(bytes).toString('base64') };
  },
);

async function found(on: Installation, instanceId: string) {
  const kept = await findTurnedAway(coreOf(on).ledger.read, instanceId);
  if (!kept) throw new AppError('missing', `No document was turned away in the envelope ${instanceId}.`);
  return kept;
}

const Participant = Type.Object({
  participant: Type.String(),
  accountRegNo: Type.String(),
  /** `ok`: nothing differs. `unknown`: no look-up has had an answer yet. Otherwise what differs. */
  what: Type.String(),
  detail: TextOrNull,
  since: MomentOrNull,
  lookedUpAt: MomentOrNull,
  nextLookAt: MomentOrNull,
  certificateEndsAt: MomentOrNull,
  reason: TextOrNull,
});

export const check = operation(
  Type.Object({
    accountRegNo: Type.Optional(Type.String()),
    /** Looks them up first, instead of telling what the daily look-ups have found. */
    now: Type.Boolean(),
    /** One as it was told: only those behind it. */
    behind: Type.Optional(Type.Pick(Participant, ['participant', 'what', 'detail'])),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LISTED_MAX })),
  }),
  Type.Array(Participant),
  async (on, { accountRegNo = null, now, behind, limit = LISTED_MAX }) => {
    const { ledger } = coreOf(on);
    if (accountRegNo !== null) await accountParticipants({ ledger }, accountRegNo);
    if (now) await (await import('./network-look-up.ts')).lookUp(on, accountRegNo, LISTED_MAX);
    const found = await selectChecked(ledger.read, { accountRegNo, behind: behind && keyOf(behind), limit });
    return found.map(checkedFacts);
  },
);

/** What is said of a participant of which nothing is known to differ. */
const AGREES = { looked: 'ok', never: 'unknown' } as const;

function keyOf({ what, ...rest }: Pick<Static<typeof Participant>, 'participant' | 'what' | 'detail'>) {
  return { ...rest, what: what === AGREES.looked || what === AGREES.never ? null : what };
}

function checkedFacts({ participant, accountRegNo, detail, reason, what, lookedUpAt, ...at }: Checked): Static<typeof Participant> {
  return {
    participant,
    accountRegNo,
    what: what ?? (lookedUpAt === null ? AGREES.never : AGREES.looked),
    detail,
    since: isoTime(at.since),
    lookedUpAt: isoTime(lookedUpAt),
    nextLookAt: isoTime(at.nextLookAt),
    certificateEndsAt: isoTime(at.certificateEndsAt),
    reason,
  };
}
