// A dry run: what would become of a document that was dropped for real. The rules, the ledger and the service are asked; nothing here can send.
import type { Sender } from '#contract/addresses.ts';
import { readLatestAccepted } from '#gateway/ledger/accepted-versions.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import type { Accounts } from '#gateway/model/account.ts';
import type { DryRun } from '#gateway/model/dry-run.ts';
import type { ItemHead } from '#gateway/model/item.ts';
import { brokenRules, type Document, documentOf, ownedBy, type VerdictParts } from '#gateway/reader/verdict.ts';
import type { Budget } from '#gateway/service/budget.ts';
import type { CoreClient } from '#gateway/service/core-client.ts';
import type { NoAnswer, OptionalQuestion } from '#gateway/service/optional-question.ts';
import type { Receivers } from '#gateway/service/receivers.ts';
import type { Clock } from '#runtime/clock.ts';
import { FINAL_NOES } from './admit.ts';
import { BEFORE, type Foreseen, foreseen, numberTaken, numberUntold, receiverSaid, senderSaid } from './dry-run-sentences.ts';
import { type Existing, findExisting } from './find-existing.ts';

/** For so long the service is waited for: somebody waits for the end of an upload. */
const SERVICE_MS_MAX = 5_000;

interface DryRunParts extends VerdictParts {
  readonly accounts: Pick<Accounts, 'ownerOf' | 'find' | 'addressesOf'>;
  readonly ledger: Pick<Ledger, 'read'>;
  /** It only looks. */
  readonly client: Pick<CoreClient, 'list'>;
  readonly budget: Pick<Budget, 'spend'>;
  readonly receivers: Receivers;
  readonly senders: Pick<OptionalQuestion<Sender>, 'ask'>;
  readonly clock: Clock;
}

export function openDryRun(parts: DryRunParts): DryRun {
  return async ({ home, bytes, sha256 }) => {
    const dropped = { home, accountRegNo: home, sha256 };
    const owned = await ownedBy(parts, dropped, bytes);
    if ('outcome' in owned) return { accountRegNo: home, head: owned.head, outcome: foreseen(owned.head, [{ no: owned.outcome }]) };
    const { head, judgement, accountRegNo } = owned;
    const document = await documentOf(dropped, bytes, head);
    const broken = 'stage' in document ? document : await brokenRules(parts, document, judgement);
    const told = await Promise.all([
      senderOf(parts, accountRegNo, head),
      'stage' in document ? {} : numberOf(parts, { accountRegNo, head, sha256 }, document),
      receiverOf(parts, accountRegNo, head),
    ]);
    return { accountRegNo, head, outcome: foreseen(head, [...(broken ? [{ no: broken }] : []), ...told]) };
  };
}

/** Whether its number is taken: as the ledger knows it, and as the service does. */
async function numberOf(
  parts: DryRunParts,
  { accountRegNo, head, sha256 }: { readonly accountRegNo: string; readonly head: ItemHead; readonly sha256: string },
  document: Document,
): Promise<Foreseen> {
  const { ledger, clock, client, budget } = parts;
  const first = await readLatestAccepted(ledger.read, accountRegNo, head);
  // After a final no the same number may always be sent again.
  if (first && FINAL_NOES.has(first.status)) return {};
  if (first && first.sha256 === sha256) return BEFORE;
  const look = findExisting(
    { client, clock },
    // As polls do, it leaves documents a part of the budget.
    {
      item: { accountRegNo },
      head,
      bytes: document.bytes,
      reservation: { look: () => budget.spend(accountRegNo, 'poll') },
      others: new Set(),
    },
  );
  const existing = await inTime<Existing | null>(clock, look, null);
  if (existing?.kind === 'same' || existing?.kind === 'more') return BEFORE;
  if (existing?.kind === 'other') return numberTaken(head, existing.integrationId);
  if (existing?.kind === 'none') return {};
  return first ? numberTaken(head, first.integrationId) : numberUntold();
}

const NOT_IN_TIME: NoAnswer = { kind: 'unknown', reason: 'The service did not answer in time.' };

/** Its owner is known here only where an administrator has told the addresses; the service has the last word. */
async function senderOf({ senders, clock, accounts }: DryRunParts, accountRegNo: string, head: ItemHead): Promise<Foreseen> {
  const answer = await inTime(clock, senders.ask(accountRegNo, head.sender), NOT_IN_TIME);
  return senderSaid(head, accountRegNo, answer, accounts.addressesOf(accountRegNo));
}

async function receiverOf({ receivers, clock, accounts }: DryRunParts, accountRegNo: string, head: ItemHead): Promise<Foreseen> {
  const answer = await inTime(clock, receivers.ask(accountRegNo, head.receiver), NOT_IN_TIME);
  return receiverSaid(head, answer, accounts.find(accountRegNo)?.unreachable === 'at-once');
}

async function inTime<Value>(clock: Clock, asked: Promise<Value>, late: Value): Promise<Value> {
  const end = Promise.withResolvers<Value>();
  using _timer = clock.after(SERVICE_MS_MAX, () => end.resolve(late));
  // Awaited here: the timer ends with this call.
  return await Promise.race([asked, end.promise]);
}
