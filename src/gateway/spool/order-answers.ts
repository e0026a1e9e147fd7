// An order that was moved to be answered: its response is made and taken into custody as a dropped file is, or a receipt says why there is none.
// Each step is known by the move's id, so that one which a crash has cut off is ended, and nothing is sent twice.
import { existsSync, writeFileSync } from 'node:fs';
import { dayOf } from '#domain/day.ts';
import { AppError } from '#domain/error.ts';
import { discard } from '#gateway/disk/paths.ts';
import { copyPath, spooledPath, spoolName } from '#gateway/disk/spool-files.ts';
import { readItem } from '#gateway/ledger/items.ts';
import { type OrderOf, putOrderAnswer, readOrderAnswers, readReceivedOrders, type StoredAnswer } from '#gateway/ledger/order-answers.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import type { Accounts } from '#gateway/model/account.ts';
import type { ByteName } from '#gateway/model/intake.ts';
import {
  answeredBefore,
  answeredName,
  forbids,
  notAnswerable,
  notReceived,
  type OrderAnswer,
  reasonOf,
  responseName,
  unreadableOrder,
} from '#gateway/model/order-answer.ts';
import type { Outcome, Subject } from '#gateway/model/outcome.ts';
import type { Finisher } from '#gateway/publish/finish.ts';
import { type Content, inspectContent, saysWhatIsWrong } from '#gateway/reader/inspect.ts';
import { readBeside } from '#gateway/reader/pool.ts';
import { OWN_READING } from '#gateway/reader/reading.ts';
import type { Clock } from '#runtime/clock.ts';
import { KeyedMutex } from '#runtime/concurrency.ts';
import type { Log } from '#runtime/log.ts';
import type { Inbox } from './inbox.ts';
import { responseItem, responseNumber } from './response-identity.ts';

interface OrderAnswerParts {
  readonly data: string;
  readonly incarnation: string;
  readonly ledger: Ledger;
  readonly accounts: Pick<Accounts, 'find'>;
  readonly inbox: Pick<Inbox, 'put'>;
  readonly finisher: Pick<Finisher, 'notify' | 'keep'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** A file that was moved, and is ours since. */
interface MovedOrder {
  /** The id of the move. */
  readonly move: string;
  readonly home: string;
  readonly answer: OrderAnswer;
  /** The folder in which it lay below that of the answer. */
  readonly folder: ByteName | undefined;
  readonly name: ByteName;
  readonly bytes: Buffer;
  readonly sha256: string;
}

/** The order is one that was received. */
interface Known extends OrderOf {
  readonly head: Content['head'];
}

export class OrderAnswers {
  readonly #parts: OrderAnswerParts;
  /** Copies of one order are decided one after the other: the second must see the answer to the first. */
  readonly #decisions = new KeyedMutex();

  constructor(parts: OrderAnswerParts) {
    this.#parts = parts;
  }

  /** When it resolves, the response is in custody and the order in `accepted`, or the receipt is durable and the order in `refused`. Throws `quota`, `storage`. */
  async settle(moved: MovedOrder): Promise<void> {
    const { finisher, log } = this.#parts;
    const { move, home, answer } = moved;
    const read = await this.#read(moved);
    const known = 'stage' in read ? null : read;
    const refusal = known ? await this.#decisions.run(`${known.accountRegNo} ${known.sha256}`, () => this.#answer(moved, known)) : read;
    const subject = this.#subjectOf(moved, known);
    if (refusal && 'stage' in refusal) {
      await finisher.keep(subject, 'refused', moved.bytes);
      await finisher.notify(subject, refusal);
      log.info({ event: 'order.not-answered', move, home, answer, code: refusal.code });
    } else {
      await finisher.keep({ ...subject, fileName: answeredName(moved.name) }, 'accepted', moved.bytes);
      log.info({ event: 'order.answered', move, home, answer, item: responseItem(move) });
    }
  }

  /** Whether a file of the home is an order that was received there. */
  async isReceived(home: string, bytes: Buffer): Promise<boolean> {
    return !('stage' in (await this.#read({ home, bytes })));
  }

  #subjectOf({ move, home, name, sha256 }: MovedOrder, known: Known | null): Subject {
    const accountRegNo = known?.accountRegNo ?? home;
    const receivedAt = this.#parts.clock.now();
    return { item: move, accountRegNo, home, login: null, fileName: name, sha256, receivedAt, head: known?.head ?? null };
  }

  /** Which received order it is, or why it is none. */
  async #read({ home, bytes }: Pick<MovedOrder, 'home' | 'bytes'>): Promise<Known | Outcome> {
    const { ledger, accounts } = this.#parts;
    try {
      const { head, sha256 } = await inspectContent(bytes);
      const { family, documentId, sender } = head;
      if (family !== 'Order') return notAnswerable(`Only an order can be answered, and this is a document ${family}.`);
      const document = OWN_READING.fetched(bytes);
      for (const { accountRegNo, contentSha256 } of await readReceivedOrders(ledger.read, documentId, sender)) {
        const isHere = accounts.find(accountRegNo)?.home === home;
        if (isHere && (await document.isSame(contentSha256))) return { accountRegNo, sha256, head };
      }
      return notReceived(`Order ${documentId}`);
    } catch (error) {
      if (saysWhatIsWrong(error)) return unreadableOrder(error);
      throw error;
    }
  }

  /** Takes the response into custody, unless a crash has come behind that; or resolves with why there is none. */
  async #answer(moved: MovedOrder, known: Known): Promise<Outcome | null> {
    const { ledger, clock } = this.#parts;
    const { move, home, answer } = moved;
    const item = responseItem(move);
    const name = responseName(answer, moved.name);
    const given = await readOrderAnswers(ledger.read, known);
    if (given.some((each) => each.item === item)) return null;
    const stored = { answer, number: responseNumber({ ...known.head, sha256: known.sha256 }, answer), item, givenAt: clock.now() };
    if (await this.#isInCustody(home, item, name)) {
      await ledger.write([], (rows) => putOrderAnswer(rows, known, stored));
      return null;
    }
    const before = given.find((each) => forbids(each, answer));
    if (before) return answeredBefore(known.head.documentId, before);
    return this.#send(moved, known, { ...stored, name });
  }

  /** Its file may lie in the spool before its row is there. */
  async #isInCustody(home: string, item: string, name: ByteName): Promise<boolean> {
    const { data, ledger } = this.#parts;
    if (await readItem(ledger.read, item)) return true;
    return existsSync(`${data}/${spooledPath({ home, spoolName: spoolName({ item, mode: 'send', name }) })}`);
  }

  async #send(moved: MovedOrder, known: Known, { name, ...stored }: StoredAnswer & { readonly name: ByteName }): Promise<Outcome | null> {
    const { data, incarnation, inbox } = this.#parts;
    const { answer, item, number: id, givenAt } = stored;
    try {
      const options = { answer, id, day: dayOf(givenAt), reason: reasonOf(moved.folder, moved.name) };
      const response = await readBeside('answer', { order: moved.bytes, options });
      const path = copyPath(data, incarnation, item);
      discard(path);
      writeFileSync(path, response, { flag: 'wx', mode: 0o640 });
      const together = (rows: Ledger['read']): Promise<void> => putOrderAnswer(rows, known, stored);
      await inbox.put({ item, home: moved.home, name, path, size: response.length, together });
      return null;
    } catch (error) {
      if (error instanceof AppError && error.code === 'invalid') return notAnswerable(error.message);
      throw error;
    }
  }
}
