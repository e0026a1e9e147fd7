import { isFamilyName } from '#domain/family.ts';
import { type ReceiptForm, renderReceipt } from '#domain/receipt.ts';
import { spooledPath } from '#gateway/disk/spool-files.ts';
import { closeAttempts } from '#gateway/ledger/attempts.ts';
import { insertDelivery } from '#gateway/ledger/deliveries.ts';
import { finishItem, nameTold } from '#gateway/ledger/items.ts';
import { insertPublication, type NewPublication, type Publication } from '#gateway/ledger/publications.ts';
import type { Rows } from '#gateway/ledger/schema.ts';
import type { Feed } from '#gateway/model/feed.ts';
import { nameOfReceipt, nameText, originalName } from '#gateway/model/file-names.ts';
import type { ByteName } from '#gateway/model/intake.ts';
import type { Item, ItemHead, ItemState } from '#gateway/model/item.ts';
import type { ItemEnded } from '#gateway/model/item-ended.ts';
import { overwriteAdvice, type Viewer } from '#gateway/model/layout.ts';
import type { Charset, LoginRules } from '#gateway/model/login-rules.ts';
import { endOf, type Outcome, type Subject } from '#gateway/model/outcome.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';
import type { Publisher } from './publish.ts';

export interface FinishParts {
  readonly publisher: Pick<Publisher, 'stage'>;
  readonly log: Log;
  /** The form in which an account wants its receipts. */
  readonly receiptForm: (accountRegNo: string) => ReceiptForm;
  /** The login that dropped a file; undefined when it came by folder, or nobody has it any more. */
  readonly dropper: (login: string | null) => Dropper | undefined;
  /** All logins that see the home, and so its receipts. */
  readonly readers: (home: string) => readonly Viewer[];
  readonly ended: ItemEnded;
  readonly clock: Clock;
}

/** What decides how a login is told of its files: how their names are spelled, and what the folders are called. */
export interface Dropper extends Viewer {
  readonly rules: LoginRules;
}

export interface FinishOptions {
  /** The state that it ends from. */
  readonly from?: ItemState;
  /** Part of the commit, and before it: what it throws undoes all. */
  readonly together?: (rows: Rows) => Promise<void>;
}

export interface Finisher {
  /**
   * Ends the item as the outcome's stage says; false when it had ended before, and then nothing is done. Throws `storage`; then the item is
   * what it was.
   */
  finish(item: Item, outcome: Outcome, options?: FinishOptions): Promise<boolean>;
  /** A receipt on the way (delayed, waiting); once per stage. */
  notify(subject: Subject, outcome: Outcome): Promise<void>;
  /** The same in two steps: stages it durably, and resolves with what publishes it. `told` writes in its commit what must not be written without it. */
  announce(subject: Subject, outcome: Outcome, told: (rows: Rows) => Promise<void>): Promise<() => Promise<void>>;
}

export function openFinisher(parts: FinishParts): Finisher {
  const { publisher, log, receiptForm, dropper, readers, ended, clock } = parts;

  /** What was told of an outcome, in the words of the one who dropped the file. */
  function sentence({ login, home }: Pick<Item, 'login' | 'home'>, { message, advice }: Outcome): string {
    return advice ? `${message} ${advice(overwriteAdvice(dropper(login), home, readers(home)))}` : message;
  }

  /** Resolves with what lets `decide` write it, and publishes it. The name of the file is the one that receipts have told, should it have another by now. */
  async function stageReceipt(
    item: Subject,
    outcome: Outcome,
  ): Promise<(decide: (rows: Rows, receipt: NewPublication, fileName: ByteName) => Promise<(Publication | null)[]>) => Promise<unknown>> {
    const { accountRegNo, home, item: subject } = item;
    const { stage } = outcome;
    const form = receiptForm(accountRegNo);
    const spelling = dropper(item.login)?.rules.charset;
    const bytes = Buffer.from(renderReceipt(receiptOf(item, { ...outcome, message: sentence(item, outcome) }, spelling), form));
    const hand = await publisher.stage(home, bytes);
    return (decide) =>
      hand(async (rows, staged) => {
        const fileName = await nameTold(rows, subject, item.fileName);
        const name = nameOfReceipt(fileName, subject, stage, form, spelling);
        return decide(rows, { accountRegNo, home, folder: 'receipts', name, staged, subject, stage }, fileName);
      });
  }

  async function announce(subject: Subject, outcome: Outcome, told?: (rows: Rows) => Promise<void>): Promise<() => Promise<void>> {
    const hand = await stageReceipt(subject, outcome);
    return async () => {
      await hand(async (rows, receipt) => {
        await told?.(rows);
        return [await insertPublication(rows, receipt)];
      });
    };
  }

  return {
    announce,
    async finish(item, outcome, { from = 'pending', together } = {}) {
      const end = endOf(outcome.stage);
      const isTold = outcome.stage === 'accepted' && outcome.duplicateOf !== undefined;
      const feed = isTold ? null : feedOf(item, outcome);
      let finished = false;
      const hand = await stageReceipt(item, outcome);
      await hand(async (rows, receipt, fileName) => {
        await together?.(rows);
        const facts = {
          state: end.state,
          integrationId: outcome.integrationId ?? null,
          duplicateOf: outcome.duplicateOf ?? null,
          reason: sentence(item, outcome),
          endedAt: clock.now(),
        };
        finished = await finishItem(rows, item.item, facts, from);
        if (!finished) return [];
        await closeAttempts(rows, item.item, outcome.stage);
        if (feed) await insertDelivery(rows, feed, item.item, outcome.integrationId ?? '', clock.now());
        return [
          isTold ? null : await insertPublication(rows, receipt),
          end.folder &&
            (await insertPublication(rows, {
              ...receipt,
              folder: end.folder,
              name: originalName(fileName, item.item, dropper(item.login)?.rules.charset),
              staged: spooledPath(item),
            })),
        ];
      });
      if (!finished) return false;
      const level = outcome.stage === 'held' ? 'error' : 'info';
      log[level]({
        event: `item.${outcome.stage}`,
        item: item.item,
        accountRegNo: item.accountRegNo,
        family: item.head?.family,
        documentId: item.head?.documentId,
        integrationId: outcome.integrationId,
        reason: outcome.stage === 'accepted' ? undefined : sentence(item, outcome),
      });
      ended.tell(item, feed);
      return true;
    },
    notify: async (subject, outcome) => (await announce(subject, outcome))(),
  };
}

/** The feed in which the service tells what becomes of the document; null when it took none by this. */
function feedOf({ accountRegNo, head }: Item, { stage, integrationId }: Outcome): Feed | null {
  const family = head?.family ?? '';
  return stage === 'accepted' && integrationId && isFamilyName(family) ? { accountRegNo, family } : null;
}

function receiptOf(item: Subject, outcome: Outcome, charset: Charset | undefined) {
  const head: ItemHead | null = item.head;
  return {
    receipt: 1 as const,
    stage: outcome.stage,
    action: outcome.action,
    file: nameText(item.fileName, charset),
    sha256: item.sha256,
    receivedAt: new Date(item.receivedAt).toISOString(),
    accountRegNo: item.accountRegNo,
    family: head?.family ?? null,
    documentId: head?.documentId ?? null,
    sender: head?.sender ?? null,
    receiver: head?.receiver ?? null,
    integrationId: outcome.integrationId ?? null,
    message: outcome.message,
    findings: outcome.findings ?? [],
    error: outcome.error ?? null,
    answer: outcome.answer ?? null,
  };
}
