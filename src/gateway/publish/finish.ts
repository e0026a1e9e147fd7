import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isoTime } from '#domain/day.ts';
import type { Receipt, Stage, Suggested } from '#domain/receipt.ts';
import type { ReceiptForm } from '#domain/receipt-forms.ts';
import { pipelined } from '#engines/pipelined.ts';
import type { Archive } from '#gateway/archive/archive.ts';
import { spooledPath } from '#gateway/disk/spool-files.ts';
import { closeAttempts } from '#gateway/ledger/attempts.ts';
import { insertDelivery } from '#gateway/ledger/deliveries.ts';
import { nameReported } from '#gateway/ledger/item-names.ts';
import { finishItem } from '#gateway/ledger/items.ts';
import { readWaiting } from '#gateway/ledger/pair-order.ts';
import { insertPublication, insertPublications, type NewPublication, type Publication, SUGGESTED } from '#gateway/ledger/publications.ts';
import type { Rows } from '#gateway/ledger/schema.ts';
import type { Feed } from '#gateway/model/feed.ts';
import { droppedName, duplicateName, nameOfReceipt, nameText, originalName, suggestedName } from '#gateway/model/file-names.ts';
import type { ByteName } from '#gateway/model/intake.ts';
import type { Item, ItemState } from '#gateway/model/item.ts';
import type { ItemEnded } from '#gateway/model/item-ended.ts';
import { namingOf, overwriteAdvice, type Viewer } from '#gateway/model/layout.ts';
import type { LoginRules } from '#gateway/model/login-rules.ts';
import type { Measures } from '#gateway/model/measures.ts';
import { endOf, type Outcome, type Subject } from '#gateway/model/outcome.ts';
import type { Charset } from '#gateway/model/rule-words.ts';
import type { Clock } from '#runtime/clock.ts';
import { nullIf } from '#runtime/files/system-code.ts';
import type { Log } from '#runtime/log.ts';
import { uuidOf } from '#runtime/uuid.ts';
import { grouped } from './grouped-findings.ts';
import type { Hand, Publisher } from './publish.ts';
import { renderReceipt } from './write-receipt.ts';

interface FinishParts {
  readonly publisher: Pick<Publisher, 'stage' | 'stageBoth' | 'hand'>;
  readonly archive: Archive;
  readonly data: string;
  readonly log: Log;
  /** The form in which an account wants its receipts. */
  readonly receiptForm: (accountRegNo: string) => ReceiptForm;
  /** The login that dropped a file; undefined when the file came by folder, or the login is gone. */
  readonly dropper: (login: string | null) => Dropper | undefined;
  /** All logins that see the home, and so its receipts. */
  readonly readers: (home: string) => readonly Viewer[];
  readonly ended: ItemEnded;
  readonly measures?: Measures;
  readonly clock: Clock;
}

/** What decides how receipts speak to a login: how names of files are spelled, and what the folders are called. */
interface Dropper extends Viewer {
  readonly rules: LoginRules;
}

interface FinishOptions {
  /** The state that it ends from. */
  readonly from?: ItemState;
  /** Part of the commit, and before it: what it throws undoes all. */
  readonly together?: (rows: Rows) => Promise<void>;
}

/** The file by the name by which receipts have reported it, if any has; and the receipt. */
interface Named {
  readonly fileName: ByteName;
  readonly receipt: NewPublication;
  /** What the receipt suggests. */
  readonly suggestion: NewPublication | undefined;
}

type HandReceipt = (decide: (rows: Rows, name: () => Promise<Named>) => Promise<Publication[]>) => Promise<readonly Publication[]>;

export class Finisher {
  readonly #parts: FinishParts;

  constructor(parts: FinishParts) {
    this.#parts = parts;
  }

  /**
   * Ends the item as the outcome's stage says, and resolves with those that wait for it; null when it had ended before, and then nothing is done.
   * Throws `storage`; then the item is what it was.
   */
  async finish(item: Item, outcome: Outcome, { from = 'pending', together }: FinishOptions = {}): Promise<readonly string[] | null> {
    const { clock, ended, measures } = this.#parts;
    const end = endOf(outcome.stage);
    const isReported = outcome.stage === 'accepted' && outcome.duplicateOf !== undefined;
    const feed = isReported ? null : feedOf(item, outcome);
    let waiting: readonly string[] | null = null;
    if (end.folder === 'accepted') await this.#archiveOriginal(item);
    const hand = await this.#stageReceipt(item, outcome);
    await hand(async (rows, name) => {
      await together?.(rows);
      const facts = {
        state: end.state,
        integrationId: outcome.integrationId ?? null,
        duplicateOf: outcome.duplicateOf ?? null,
        reason: this.#sentence(item, outcome),
        endedAt: clock.now(),
      };
      const [isEnded, { receipt, suggestion, fileName }] = await pipelined(finishItem(rows, item.item, facts, from), name());
      if (!isEnded) return [];
      const original = this.#originalName(item, fileName, outcome.stage);
      const owed = [
        ...(isReported ? [] : [receipt]),
        ...(end.folder ? [{ ...receipt, folder: end.folder, name: original, staged: spooledPath(item) }] : []),
      ];
      const [publications, suggested, found] = await pipelined(
        insertPublications(rows, owed),
        suggestion && insertPublication(rows, suggestion),
        readWaiting(rows, item.item),
        closeAttempts(rows, item.item, outcome.stage, facts.endedAt),
        feed ? insertDelivery(rows, feed, item.item, outcome.integrationId ?? '', clock.now()) : undefined,
      );
      waiting = found;
      // It is there when its receipt is.
      return suggested ? [suggested, ...publications] : publications;
    });
    if (!waiting) return null;
    measures?.ended(outcome, clock.now() - item.receivedAt);
    if (!isReported) measures?.receipt(outcome.stage);
    this.#log(item, outcome);
    ended.tell(item, feed);
    return waiting;
  }

  /** A receipt on the way (delayed, waiting); once per stage. */
  async notify(subject: Subject, outcome: Outcome): Promise<void> {
    const publish = await this.announce(subject, outcome);
    await publish();
  }

  /** A receipt in the form of the account, and one that a person reads. */
  async report(subject: Subject, outcome: Outcome): Promise<void> {
    const form = this.#parts.receiptForm(subject.accountRegNo);
    await this.notify(subject, outcome);
    if (form === 'text') return;
    const hand = await this.#stageReceipt(subject, outcome, 'text');
    await hand(async (rows, name) => insertPublications(rows, [{ ...(await name()).receipt, stage: `${outcome.stage}.text` }]));
  }

  /** A file that is no item goes into a folder of its home, once. */
  async keep(subject: Subject, folder: 'accepted' | 'refused', bytes: Uint8Array): Promise<void> {
    const { publisher, dropper } = this.#parts;
    const { accountRegNo, home, item, fileName, login } = subject;
    const name = originalName(fileName, item, dropper(login)?.rules.charset);
    await publisher.hand(subject, bytes, async (rows, staged) => [
      await insertPublication(rows, { accountRegNo, home, folder, name, staged, subject: item, stage: folder }),
    ]);
  }

  /** The same in two steps: stages it durably, and resolves with the function that publishes it. `together` is part of its commit. */
  async announce(subject: Subject, outcome: Outcome, together?: (rows: Rows) => Promise<void>): Promise<() => Promise<void>> {
    const hand = await this.#stageReceipt(subject, outcome);
    return async () => {
      const handed = await hand(async (rows, name) => {
        const [{ receipt }] = await pipelined(name(), together?.(rows));
        return insertPublications(rows, [receipt]);
      });
      if (handed.length > 0) this.#parts.measures?.receipt(outcome.stage);
    };
  }

  /** The name of the original in its home, as the login is to see it that dropped the file. */
  #originalName({ item, login }: Pick<Subject, 'item' | 'login'>, fileName: ByteName, stage: Stage): string {
    const rules = this.#parts.dropper(login)?.rules;
    const name = originalName(fileName, item, rules?.charset);
    const isApart = stage === 'duplicate' && namingOf(rules?.layout).marksDuplicates;
    return (isApart && duplicateName(name)) || name;
  }

  /** The outcome in the words of the login that dropped the file. */
  #sentence({ login, home }: Pick<Item, 'login' | 'home'>, { message, advice }: Outcome): string {
    const { dropper, readers } = this.#parts;
    return advice ? `${message} ${advice(overwriteAdvice(dropper(login), home, readers(home)))}` : message;
  }

  /** Resolves with the function that lets `decide` write the receipt, and publishes it. */
  async #stageReceipt(subject: Subject, outcome: Outcome, form = this.#parts.receiptForm(subject.accountRegNo)): Promise<HandReceipt> {
    const { archive, dropper, clock } = this.#parts;
    const { accountRegNo, home, item } = subject;
    const { stage } = outcome;
    const rules = dropper(subject.login)?.rules;
    const spelling = rules?.charset;
    const agreed = namingOf(rules?.layout).receipts[stage];
    const written = agreed?.form ?? form;
    const ourName = (fileName: ByteName): string => nameOfReceipt(fileName, item, stage, written, spelling);
    const nameFor = (fileName: ByteName): string => {
      if (!agreed) return ourName(fileName);
      const names = { dropped: droppedName(fileName, spelling), original: this.#originalName(subject, fileName, stage) };
      return agreed.name({ accountRegNo, item, stage, ...names }, uuidOf);
    };
    const message = this.#sentence(subject, outcome);
    const suggested = outcome.repaired && {
      file: suggestedName(subject.fileName, item, spelling),
      changes: outcome.repaired.changes,
    };
    const receipt = receiptOf(subject, { ...outcome, message }, { charset: spelling, at: clock.now(), suggested });
    const bytes = Buffer.from(renderReceipt(receipt, written));
    // Under our name in every layout: no other file of the day has it.
    await archive.keep(accountRegNo, ourName(subject.fileName), bytes, 'receipts');
    const hand = await this.#stage(subject, bytes, outcome.repaired?.document);
    return (decide) =>
      hand((rows, [staged, beside]) =>
        decide(rows, async () => {
          const fileName = await nameReported(rows, item, subject.fileName);
          const name = nameFor(fileName);
          const receipt = { accountRegNo, home, folder: 'receipts', name, staged, subject: item, stage } as const;
          // Under the name that the receipt tells.
          const suggestion: NewPublication | undefined =
            suggested && beside !== undefined
              ? { ...receipt, folder: 'refused', name: suggested.file, staged: beside, stage: SUGGESTED }
              : undefined;
          return { fileName, receipt, suggestion };
        }),
      );
  }

  async #stage(subject: Subject, bytes: Uint8Array, beside: Uint8Array | undefined): Promise<Hand<readonly [string, string | undefined]>> {
    const { publisher } = this.#parts;
    if (beside) return publisher.stageBoth(subject, bytes, () => beside);
    const hand = await publisher.stage(subject, bytes);
    return (decide) => hand((rows, staged) => decide(rows, [staged, undefined]));
  }

  /** What the service took, before its file leaves the spool. */
  async #archiveOriginal(item: Item): Promise<void> {
    const { archive, data, dropper } = this.#parts;
    if (!archive.keeps(item.accountRegNo)) return;
    const name = originalName(item.fileName, item.item, dropper(item.login)?.rules.charset);
    // Where it is not there it has been published, and the process ended before its row said so.
    const bytes = await readFile(join(data, spooledPath(item))).catch(nullIf('ENOENT'));
    if (bytes) await archive.keep(item.accountRegNo, name, bytes, 'sent');
  }

  #log(item: Item, outcome: Outcome): void {
    this.#parts.log[outcome.stage === 'held' ? 'error' : 'info']({
      event: `item.${outcome.stage}`,
      item: item.item,
      accountRegNo: item.accountRegNo,
      family: item.head?.family,
      documentId: item.head?.documentId,
      integrationId: outcome.integrationId,
      reason: outcome.stage === 'accepted' ? undefined : this.#sentence(item, outcome),
    });
  }
}

/** The feed in which the service reports what becomes of the document; null when it took none by this. */
function feedOf({ accountRegNo, head }: Item, { stage, integrationId }: Outcome): Feed | null {
  return stage === 'accepted' && integrationId && head ? { accountRegNo, family: head.family } : null;
}

function receiptOf(
  item: Subject,
  outcome: Outcome,
  { charset, at, suggested }: { readonly charset: Charset | undefined; readonly at: number; readonly suggested: Suggested | undefined },
): Receipt {
  const head = item.head ?? outcome.seen;
  return {
    receipt: 1,
    stage: outcome.stage,
    action: outcome.action,
    code: outcome.code ?? null,
    file: nameText(item.fileName, charset),
    sha256: item.sha256,
    receivedAt: isoTime(item.receivedAt),
    at: isoTime(at),
    accountRegNo: item.accountRegNo,
    family: head?.family ?? null,
    documentId: head?.documentId ?? null,
    sender: head?.sender ?? null,
    receiver: head?.receiver ?? null,
    integrationId: outcome.integrationId ?? null,
    message: outcome.message,
    findings: grouped(outcome.findings ?? []),
    error: outcome.error ?? null,
    answer: outcome.answer ?? null,
    ...(suggested && { suggested }),
  };
}
