// What the service has turned away before it came in becomes a notice in the home of the account that it was meant for. A ring is a hint;
// timers make hints unnecessary.
import { hash } from 'node:crypto';
import { parseTurnedAway, TURNED_AWAY_LIMIT, type TurnedAwayDocument } from '#contract/turned-away.ts';
import { findingsIn } from '#domain/document.ts';
import { AppError, toAppError } from '#domain/error.ts';
import { isFamilyName } from '#domain/family.ts';
import { putReported, readReported } from '#gateway/ledger/turned-away.ts';
import type { Account, Accounts } from '#gateway/model/account.ts';
import { outboxName } from '#gateway/model/file-names.ts';
import type { HomesInHand } from '#gateway/model/homes.ts';
import type { Outcome, Subject } from '#gateway/model/outcome.ts';
import { shareOf } from '#gateway/model/share.ts';
import type { BellCoverage } from '#gateway/service/bell-coverage.ts';
import type { CoreClient } from '#gateway/service/core-client.ts';
import type { StatusParts } from './statuses.ts';

const AT_ONCE_MAX = 2;
const AFTER_FAILURE_MS = 60_000;
/** First looks after a start are spread. */
const SPREAD_MS = 20;
/** Of a service that does not have the question. */
const NOT_OFFERED: ReadonlySet<number> = new Set([400, 403, 404, 405, 501]);

interface TurnedAwayParts extends Omit<StatusParts, 'client' | 'pollMs'> {
  readonly client: Pick<CoreClient, 'turnedAway'>;
  readonly accounts: Pick<Accounts, 'find' | 'all'>;
  readonly inHand: Pick<HomesInHand, 'has'>;
  readonly bellCoverage: BellCoverage | null;
}

interface TurnedAwayTeller {
  /** Looks for accounts that are served since the last call. */
  watch(): void;
  /** The service has turned something away. */
  ring(accountRegNo: string): void;
}

/** Answers the bell for what was turned away, and rings it by the clock. */
export function tellTurnedAway(parts: TurnedAwayParts): TurnedAwayTeller {
  const { queue, accounts, inHand, clock, log, hinted, bellCoverage, pollSilentMs, reconcileMs } = parts;
  const watched = new Set<string>();
  const waitMs = (): number => (hinted ? reconcileMs : (bellCoverage?.restMs(watched.size, parts) ?? pollSilentMs));
  /** Nothing more is asked where the service does not have the question. */
  let isOffered = true;

  async function handle(accountRegNo: string): Promise<void> {
    const account = accounts.find(accountRegNo);
    if (!account || !isOffered) return void watched.delete(accountRegNo);
    try {
      isOffered = await tellAll(parts, account);
      if (isOffered) queue.ring('turned-away', accountRegNo, clock.now() + waitMs());
    } catch (error) {
      const { facts } = toAppError(error);
      const afterMs = typeof facts.waitMs === 'number' ? facts.waitMs : AFTER_FAILURE_MS;
      log.warn({ event: 'turned-away.postponed', accountRegNo, waitMs: afterMs, err: error });
      queue.ring('turned-away', accountRegNo, clock.now() + afterMs);
    }
  }

  queue.answer('turned-away', AT_ONCE_MAX, handle);
  bellCoverage?.onDoubt(() => {
    const now = clock.now();
    for (const accountRegNo of watched) queue.ring('turned-away', accountRegNo, now + shareOf(accountRegNo) * pollSilentMs);
  });
  return {
    watch() {
      if (!isOffered) return;
      const served = accounts.all().filter(({ home }) => inHand.has(home));
      const fresh = served.filter(({ accountRegNo }) => !watched.delete(accountRegNo));
      watched.clear();
      for (const { accountRegNo } of served) watched.add(accountRegNo);
      for (const [index, { accountRegNo }] of fresh.entries()) {
        // A remote service may not have the question at all: what it has comes first.
        queue.ring('turned-away', accountRegNo, clock.now() + (hinted ? 0 : pollSilentMs) + index * SPREAD_MS);
      }
    },
    ring: (accountRegNo) => queue.ring('turned-away', accountRegNo),
  };
}

/** False when the service does not have the question. */
async function tellAll(parts: TurnedAwayParts, account: Account): Promise<boolean> {
  const { ledger, client, budget } = parts;
  const { accountRegNo } = account;
  for (;;) {
    const after = await readReported(ledger.read, accountRegNo);
    const answer = await budget.ask(accountRegNo, 'poll', () => client.turnedAway(accountRegNo, after));
    if (answer.status === 204) return true;
    if (NOT_OFFERED.has(answer.status)) return false;
    const page = answer.status === 200 ? parseTurnedAway(answer.body)?.data : undefined;
    if (!page) throw new AppError('internal', `the service answered ${answer.status} when it was asked what it had turned away`);
    // A service that begins again at the front would never come to an end.
    const news = page.filter(({ sequence }) => sequence > after).sort((a, b) => a.sequence - b.sequence);
    for (const each of news) await tell(parts, account, each);
    if (news.length < TURNED_AWAY_LIMIT) return true;
  }
}

async function tell({ finisher, log }: TurnedAwayParts, account: Account, document: TurnedAwayDocument): Promise<void> {
  const { accountRegNo } = account;
  const publish = await finisher.announce(subjectOf(account, document), outcomeOf(document), (rows) =>
    putReported(rows, accountRegNo, document.sequence),
  );
  await publish();
  const { instanceId, sender, documentType, documentId } = document;
  log.info({ event: 'outbox.turned-away', accountRegNo, instanceId, sender, family: documentType, documentId });
}

/** Stands for an item: no file was dropped, and the notice has the name that the document would have had. */
function subjectOf({ accountRegNo, home }: Account, document: TurnedAwayDocument): Subject {
  const { instanceId, sender, receiver, documentType, documentId, sha256, turnedAwayAt } = document;
  // Its envelope's name is chosen by strangers.
  const item = hash('sha256', `${accountRegNo}\n${instanceId}`).slice(0, 26);
  const name = outboxName({
    account: home === accountRegNo ? null : accountRegNo,
    date: turnedAwayAt.slice(0, 10),
    family: documentType || 'Unknown',
    documentId: documentId || 'unknown',
    sender,
    integrationId: item,
    version: 1,
  });
  const head = isFamilyName(documentType)
    ? { family: documentType, documentId, sender, receiver, customizationId: null, profileId: null, issueDate: null }
    : null;
  const fileName = Buffer.from(name, 'utf8').toString('latin1');
  return { item, accountRegNo, home, login: null, fileName, sha256, receivedAt: Date.parse(turnedAwayAt), head };
}

function outcomeOf({ sender, documentType, documentId, findings }: TurnedAwayDocument): Outcome {
  const what = [documentType || 'A document', documentId].filter(Boolean).join(' ');
  return {
    stage: 'turned-away',
    code: 'turned-away',
    action: 'none',
    message: `${what} from ${sender} was turned away for what it breaks, and did not come in. Its sender was told; ask for a corrected one.`,
    findings: findingsIn(findings),
  };
}
