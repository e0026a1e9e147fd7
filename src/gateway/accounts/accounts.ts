// The accounts, partners and logins that this gateway serves: read from the ledger, read again when their revision moves.
import { lookForChangesEveryMs } from '#gateway/ledger/changes.ts';
import { readRevision } from '#gateway/ledger/revisions.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import type { Account, Accounts, Login, Logins, Standing, Stranger } from '#gateway/model/account.ts';
import type { Item } from '#gateway/model/item.ts';
import type { Viewer } from '#gateway/model/layout.ts';
import { type Clock, every } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';
import type { Seal, SecretPlace } from '#runtime/seal.ts';
import { type Picture, readPicture } from './picture.ts';
import { sees } from './senders.ts';

interface AccountParts {
  readonly ledger: Ledger;
  readonly seal: Seal;
  readonly clock: Clock;
  readonly log: Log;
}

interface Reading {
  /** From before the picture. */
  readonly revision: number;
  readonly picture: Picture;
}

const TRIES_MAX = 3;

export class LedgerAccounts implements Accounts, Disposable {
  readonly #parts: AccountParts;
  readonly #looking: Disposable;
  #revision: number;
  #picture: Picture;
  #changed: () => Promise<void> = async () => undefined;

  /** Reads all of it, and keeps it current until it is disposed. */
  static async open(parts: AccountParts): Promise<LedgerAccounts> {
    return new LedgerAccounts(parts, await readWhole(parts));
  }

  private constructor(parts: AccountParts, { revision, picture }: Reading) {
    this.#parts = parts;
    this.#revision = revision;
    this.#picture = picture;
    this.#looking = every(
      parts.clock,
      lookForChangesEveryMs(parts.ledger),
      () => this.refresh(),
      (error) => parts.log.error({ event: 'accounts.unread', err: error }),
    );
  }

  /** `changed` is called after each change from now on. */
  onChange(changed: () => Promise<void>): void {
    this.#changed = changed;
  }

  async refresh(): Promise<void> {
    if ((await readRevision(this.#parts.ledger.read)) === this.#revision) return;
    const { revision, picture } = await readWhole(this.#parts);
    this.#revision = revision;
    this.#picture = picture;
    await this.#changed();
    this.#parts.log.info({ event: 'accounts.changed', accounts: picture.accounts.size, logins: picture.logins.size });
  }

  readonly logins: Logins = { find: (login) => this.#picture.logins.get(login) };

  all(): readonly Account[] {
    return [...this.#picture.accounts.values()];
  }

  find(accountRegNo: string): Account | undefined {
    return this.#picture.accounts.get(accountRegNo);
  }

  addressesOf(accountRegNo: string): readonly string[] {
    return this.#picture.senders.addressesOf(accountRegNo);
  }

  readersOf(home: string): readonly Viewer[] {
    return this.#picture.viewers.filter((viewer) => sees(viewer, home));
  }

  homes(): readonly string[] {
    return [...this.#picture.homes];
  }

  inboxes(): readonly string[] {
    return [...this.#picture.homes, ...this.#picture.left];
  }

  answering(): readonly string[] {
    return this.#picture.answering;
  }

  reconciling(): readonly Login[] {
    return this.#picture.reconciling;
  }

  doneFile(home: string): string | null {
    return this.#picture.doneFiles.get(home) ?? null;
  }

  standing(accountRegNo: string): Standing {
    const { accounts, homes, keyless, unlinked, left } = this.#picture;
    // What was dropped into a home of several accounts is the partner's until its sender is known.
    if (accounts.has(accountRegNo) || homes.has(accountRegNo)) return 'served';
    if (keyless.has(accountRegNo)) return 'keyless';
    return unlinked.has(accountRegNo) || left.has(accountRegNo) ? 'unlinked' : 'disabled';
  }

  async ownerOf(item: Pick<Item, 'home' | 'accountRegNo'>, sender: string): Promise<string | Stranger> {
    const owner = this.#picture.senders.ownerOf(item, sender);
    if (typeof owner === 'string') return owner;
    await this.refresh();
    return this.#picture.senders.ownerOf(item, sender);
  }

  [Symbol.dispose](): void {
    this.#looking[Symbol.dispose]();
  }
}

/**
 * Reads again where something was changed meanwhile: of each change all is to be seen, or nothing. Where one change follows the other it takes what it
 * has in the end, and the next look reads again.
 */
async function readWhole(parts: AccountParts): Promise<Reading> {
  let revision = await readRevision(parts.ledger.read);
  for (let tries = 1; ; tries++) {
    const picture = await pictureOf(parts);
    const after = await readRevision(parts.ledger.read);
    if (after === revision || tries === TRIES_MAX) return { revision, picture };
    revision = after;
  }
}

function pictureOf({ ledger, seal, log }: AccountParts): Promise<Picture> {
  const openKey = (sealed: Uint8Array, place: SecretPlace): string | undefined => {
    try {
      return seal.open(sealed, place);
    } catch (error) {
      log.error({ event: 'accounts.sealed', accountRegNo: place.id, err: error });
      return undefined;
    }
  };
  return readPicture(ledger.read, openKey);
}
