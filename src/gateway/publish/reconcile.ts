// Reconciliation files: for each day that is over one, with its signature beside it, in the receipts of a home. What is open at the end of a day is kept
// before the commit that owes both files and moves on to that day; so after a crash the day is either made or made anew, and never twice.
import { createHash, sign } from 'node:crypto';
import { signingKey } from '#gateway/archive/manifest.ts';
import { readAccount } from '#gateway/ledger/accounts.ts';
import { readLogin } from '#gateway/ledger/logins.ts';
import { insertPublication } from '#gateway/ledger/publications.ts';
import {
  forgetOldFiles,
  forgetOtherDays,
  forgetReconciled,
  keepOpen,
  moveReconciled,
  type Reconciled,
  readReconciled,
  readReconciledOwners,
  subjectOf,
} from '#gateway/ledger/reconciliation.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import { scopesOf } from '#gateway/ledger/scopes.ts';
import type { Accounts } from '#gateway/model/account.ts';
import type { HomesInHand } from '#gateway/model/homes.ts';
import {
  Balance,
  HEADINGS,
  isOpen,
  reconciliationName,
  rowOf,
  signatureName,
  signedStatement,
  statementText,
} from '#gateway/model/reconciliation.ts';
import { type Clock, every } from '#runtime/clock.ts';
import { type LocalDay, localDay } from '#runtime/local-time.ts';
import type { Log } from '#runtime/log.ts';
import type { Publisher } from './publish.ts';
import { DayLines, type Listed } from './reconciliation-lines.ts';

const LOOK_EVERY_MS = 5 * 60_000;
/** What was under way at midnight is in the ledger by then. */
const OVER_AFTER_MS = 5 * 60_000;
/** Of a daemon that was off for longer, earlier days are not made. */
const DAYS_MAX = 31;
const DAY_MS = 86_400_000;

const NO_PLACE =
  'a file over several accounts lies in a home that the login sees, and others only if they see all of these accounts: name another one (dropgate login set LOGIN --reconciliation ACCOUNT)';

interface ReconcileParts {
  readonly data: string;
  readonly ledger: Ledger;
  readonly publisher: Pick<Publisher, 'stageBoth'>;
  readonly accounts: Pick<Accounts, 'all' | 'reconciling' | 'readersOf'>;
  readonly inHand: Pick<HomesInHand, 'run'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Who gets a file, of what, and where. */
interface Wanted {
  /** `account 5567321707`. */
  readonly owner: string;
  readonly home: string;
  /** Under which the files are owed. */
  readonly accountRegNo: string;
  readonly accounts: ReadonlySet<string>;
  /** Part of the file's name, where the home has others. */
  readonly whose: string | null;
}

/** Looks every few minutes. Dispose to stop. */
export function startReconciling(parts: ReconcileParts): Disposable {
  const { clock, log } = parts;
  const reconciler = new Reconciler(parts);
  return every(
    clock,
    LOOK_EVERY_MS,
    () => reconciler.makeAll(),
    (error) => log.warn({ event: 'reconciliation.failed', err: error }),
  );
}

/** Of each account that wants it. */
function ofAccounts(accounts: Pick<Accounts, 'all'>): Wanted[] {
  return accounts
    .all()
    .filter(({ reconciliation }) => reconciliation === 'daily')
    .map(({ accountRegNo, home }) => {
      const whose = home === accountRegNo ? null : accountRegNo;
      return { owner: `account ${accountRegNo}`, home, accountRegNo, accounts: new Set([accountRegNo]), whose };
    });
}

/** Of each login that wants it, over all accounts whose homes it sees. */
function ofLogins(accounts: Pick<Accounts, 'all' | 'reconciling'>): (Wanted & { readonly seen: readonly string[] })[] {
  return accounts.reconciling().map(({ login, homes, rules: { reconciliation: home = '' } }) => {
    const seen = homes.map((each) => each.home);
    const places = new Set(seen);
    const theirs = accounts.all().filter((account) => places.has(account.home));
    // Under the name of a home that several accounts share stand files whose sender is not known yet.
    const all = new Set([...seen, ...theirs.map(({ accountRegNo }) => accountRegNo)]);
    return { owner: `login ${login}`, home, accountRegNo: home, accounts: all, whose: `login-${login}`, seen };
  });
}

/** Whether only those find the file in its home who see all that it tells of. */
function isPrivate(accounts: Pick<Accounts, 'readersOf'>, home: string, seen: readonly string[]): boolean {
  const readers = accounts.readersOf(home).map(({ homes }) => new Set(homes.map((each) => each.home)));
  return seen.includes(home) && readers.every((reader) => seen.every((each) => reader.has(each)));
}

class Reconciler {
  readonly #parts: ReconcileParts;
  /** Logins whose file has no place, as it was told. */
  #unplaced = new Set<string>();

  constructor(parts: ReconcileParts) {
    this.#parts = parts;
  }

  /** Makes what is missing; what fails is tried again at the next look. */
  async makeAll(): Promise<void> {
    const { accounts, inHand, log } = this.#parts;
    const all = [...ofAccounts(accounts), ...this.#placed(ofLogins(accounts))];
    for (const wanted of all) {
      const { owner, home } = wanted;
      await inHand
        .run(home, () => this.#catchUp(wanted))
        .catch((error: unknown) => log.warn({ event: 'reconciliation.failed', owner, home, err: error }));
    }
    await this.#forgetOthers(new Set(all.map(({ owner }) => owner)));
  }

  #placed(wanted: ReturnType<typeof ofLogins>): Wanted[] {
    const { accounts, log } = this.#parts;
    const placed = wanted.filter(({ home, seen }) => isPrivate(accounts, home, seen));
    const unplaced = wanted.filter((each) => !placed.includes(each));
    for (const { owner, home } of unplaced) {
      if (!this.#unplaced.has(owner)) log.error({ event: 'reconciliation.no-place', owner, home, remedy: NO_PLACE });
    }
    this.#unplaced = new Set(unplaced.map(({ owner }) => owner));
    return placed;
  }

  async #catchUp(wanted: Wanted): Promise<void> {
    const overMs = this.#parts.clock.now() - OVER_AFTER_MS;
    const today = localDay(overMs);
    let last = await readReconciled(this.#parts.ledger.read, wanted.owner);
    const first = localDay(today.fromMs - DAYS_MAX * DAY_MS);
    if (!last) last = await this.#begin(wanted, undefined, localDay(today.fromMs - 1));
    else if (last.untilMs < first.fromMs) last = await this.#begin(wanted, last, localDay(first.fromMs - 1));
    for (let day = dayBehind(last); day.untilMs <= overMs; day = dayBehind(last)) last = await this.#make(wanted, last, day);
  }

  /** The next day will be the first, or the first again after a gap: all that is open at its beginning is carried into it. */
  async #begin(wanted: Wanted, last: Reconciled | undefined, day: LocalDay): Promise<Reconciled> {
    const { ledger } = this.#parts;
    const { owner } = wanted;
    await this.#forgetOtherDays(owner, last?.day ?? '');
    const lines = new DayLines(this.#parts, { ...wanted, period: { ...day, fromMs: 0 }, last: undefined });
    for await (const page of lines.pages()) await this.#keepOpen(owner, day.name, page);
    const to = { day: day.name, untilMs: day.untilMs, sequence: lines.sequence, sha256: null };
    await ledger.write(scopesOf(wanted), (rows) => moveReconciled(rows, owner, last?.day, to));
    await this.#forgetOtherDays(owner, day.name);
    return to;
  }

  async #make(wanted: Wanted, last: Reconciled, day: LocalDay): Promise<Reconciled> {
    const { data, publisher, log } = this.#parts;
    const { owner, home, accountRegNo } = wanted;
    await this.#forgetOtherDays(owner, last.day);
    const lines = new DayLines(this.#parts, { ...wanted, period: day, last });
    const key = await signingKey(data);
    const balance = new Balance();
    const hash = createHash('sha256');
    let sha256 = '';
    const signature = (): Buffer => {
      sha256 = hash.digest('hex');
      const before = last.sha256 === null ? null : { day: last.day, sha256: last.sha256 };
      const { name, fromMs, untilMs } = day;
      const statement = statementText({ owner, day: name, fromMs, untilMs, before, sha256, balance });
      return Buffer.from(signedStatement(statement, sign(null, Buffer.from(statement), key)));
    };
    const hand = await publisher.stageBoth(wanted, this.#table(owner, day, lines, balance, hash), signature);
    const to = { day: day.name, untilMs: day.untilMs, sequence: lines.sequence, sha256 };
    const name = reconciliationName(day.name, wanted.whose);
    const made = await hand(async (rows, [table, signed]) => {
      if (!(await moveReconciled(rows, owner, last.day, to))) return [];
      const owed = { accountRegNo, home, folder: 'receipts', subject: subjectOf(owner, day.name) } as const;
      // The signature first: whoever sees the table finds it beside.
      return [
        await insertPublication(rows, { ...owed, name: signatureName(name), staged: signed, stage: 'signature' }),
        await insertPublication(rows, { ...owed, name, staged: table, stage: 'table' }),
      ];
    });
    if (made.length > 0) log.info({ event: 'reconciliation.made', owner, home, file: name, sent: balance.sentence('sent') });
    await this.#tidy(wanted, day);
    return to;
  }

  async *#table(
    owner: string,
    { name }: LocalDay,
    lines: DayLines,
    balance: Balance,
    hash: ReturnType<typeof createHash>,
  ): AsyncGenerator<Uint8Array> {
    hash.update(HEADINGS);
    yield Buffer.from(HEADINGS);
    for await (const page of lines.pages()) {
      await this.#keepOpen(owner, name, page);
      for (const { line } of page) balance.add(line);
      const text = Buffer.from(page.map(({ line }) => rowOf(line, name)).join(''));
      hash.update(text);
      yield text;
    }
  }

  async #keepOpen(owner: string, day: string, page: readonly Listed[]): Promise<void> {
    const open = page.flatMap(({ line, subject }) => (isOpen(line) ? [{ ...line, subject }] : []));
    if (open.length > 0) await this.#parts.ledger.write([], (rows) => keepOpen(rows, owner, day, open));
  }

  /** What was open on days that are done, or was kept for a day that was not done then. */
  async #forgetOtherDays(owner: string, day: string): Promise<void> {
    while (await this.#parts.ledger.write([], (rows) => forgetOtherDays(rows, owner, day)));
  }

  async #tidy(wanted: Wanted, day: LocalDay): Promise<void> {
    await this.#forgetOtherDays(wanted.owner, day.name);
    const old = localDay(day.fromMs - 2 * DAYS_MAX * DAY_MS);
    await this.#parts.ledger.write(scopesOf(wanted), (rows) => forgetOldFiles(rows, wanted.accountRegNo, wanted.owner, old.name));
  }

  /** Those who want none any more begin anew, should they want them again; an account that is only not served now goes on later. */
  async #forgetOthers(wanted: ReadonlySet<string>): Promise<void> {
    const { ledger } = this.#parts;
    for (const owner of await readReconciledOwners(ledger.read)) {
      if (wanted.has(owner)) continue;
      if (await this.#isWanted(owner)) continue;
      await this.#forgetOtherDays(owner, '');
      await ledger.write([], (rows) => forgetReconciled(rows, owner));
    }
  }

  async #isWanted(owner: string): Promise<boolean> {
    const { read } = this.#parts.ledger;
    const [kind, name = ''] = owner.split(' ');
    if (kind === 'login') return (await readLogin(read, name))?.rules.reconciliation !== undefined;
    return (await readAccount(read, name))?.reconciliation === 'daily';
  }
}

/** From where the last one ended: a time zone that was changed since leaves no gap. */
function dayBehind({ day, untilMs }: Reconciled): LocalDay {
  const next = localDay(untilMs);
  return { ...(next.name > day ? next : localDay(next.untilMs)), fromMs: untilMs };
}
