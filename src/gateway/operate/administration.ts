// What an administrator may change of this gateway: accounts with a home here, logins, their keys and passwords.
// Works on the open ledger, whether a daemon runs beside it or not; a daemon notices within two seconds.
import { join } from 'node:path';
import { checkedName } from '#domain/account.ts';
import { AppError } from '#domain/error.ts';
import { openSqlite } from '#engines/sqlite/sqlite.ts';
import { ensureHome } from '#gateway/disk/paths.ts';
import { type LoginRow, moveRevision, readLogins } from '#gateway/ledger/accounts.ts';
import { writeDoneFile } from '#gateway/ledger/drop-rules.ts';
import { deleteHint } from '#gateway/ledger/hints.ts';
import { replaceParticipants } from '#gateway/ledger/participants.ts';
import { endPausesOfAccounts } from '#gateway/ledger/pauses.ts';
import { type RejectRow, readRejects } from '#gateway/ledger/rejects.ts';
import { type Ledger, migrations, type Rows, type Tables } from '#gateway/ledger/schema.ts';
import { placeOf } from '#gateway/ledger/sealed.ts';
import { changedRules, type RuleChanges, readRules } from '#gateway/model/login-rules.ts';
import { changedReceiving, type ReceivingChanges } from '#gateway/model/receiving.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Seal } from '#runtime/seal.ts';

export interface Administration {
  readonly ledger: Ledger;
  readonly data: string;
  readonly seal: Seal;
  readonly clock: Clock;
}

/** Opens (and when it is not there, makes) the gateway's ledger in the data folder. */
export function openGatewayLedger(data: string): Promise<Ledger> {
  return openSqlite<Tables>(join(data, 'gateway.db'), migrations);
}

/**
 * Gives an account a home here, and keeps the API key with which the gateway speaks for it. Adding it again replaces the key only; one that
 * its partner had to leave is nobody's child any more. Throws `usage`.
 */
export async function putAccount(
  on: Administration,
  accountRegNo: string,
  serviceKey: string,
  receiving: ReceivingChanges = {},
): Promise<void> {
  checkedName('accountRegNo', accountRegNo);
  ensureHome(on.data, accountRegNo);
  const sealed = on.seal.seal(serviceKey, placeOf('API key of account', accountRegNo));
  const rules = JSON.stringify(changedReceiving({}, receiving));
  await change(on, async (rows) => {
    await mustBeItsOwn(rows, accountRegNo);
    if (await endOldLink(rows, accountRegNo)) await replaceParticipants(rows, accountRegNo, []);
    await rows
      .insertInto('accounts')
      .values({
        account_reg_no: accountRegNo,
        service_key: sealed,
        partner_reg_no: null,
        home: accountRegNo,
        receipts: null,
        disabled_at: null,
        unlinked_at: null,
        created_at: on.clock.now(),
        receiving: rules,
      })
      .onConflict((conflict) => conflict.column('account_reg_no').doUpdateSet({ service_key: sealed }))
      .execute();
    await endPausesOfAccounts(rows, [accountRegNo]);
  });
}

/**
 * An account that its partner had to leave gets another life, by itself or with another partner: nothing of the old link is left, and no
 * login of then sees it again by that. False when there was no such link.
 */
export async function endOldLink(rows: Rows, accountRegNo: string): Promise<boolean> {
  const left = rows.selectFrom('accounts').select('home').where('account_reg_no', '=', accountRegNo).where('unlinked_at', 'is not', null);
  if (!(await left.executeTakeFirst())) return false;
  await rows.deleteFrom('login_homes').where('home', '=', accountRegNo).execute();
  await rows
    .updateTable('accounts')
    .set({ partner_reg_no: null, home: accountRegNo, unlinked_at: null })
    .where('account_reg_no', '=', accountRegNo)
    .execute();
  return true;
}

/** Forgets the account and the homes of it that logins see; its folders stay on disk. Throws `quota` while files of it wait. */
export function removeAccount(on: Administration, accountRegNo: string): Promise<boolean> {
  return change(on, async (rows) => {
    const waiting = await rows
      .selectFrom('items')
      .select('item')
      .where('account_reg_no', '=', accountRegNo)
      .where('state', '=', 'pending')
      .executeTakeFirst();
    if (waiting) {
      throw new AppError(
        'quota',
        `Account ${accountRegNo} still has files that wait for the service; disable it now, and remove it when they are done.`,
      );
    }
    await rows.deleteFrom('login_homes').where('home', '=', accountRegNo).execute();
    await replaceParticipants(rows, accountRegNo, []);
    await deleteHint(rows, accountRegNo);
    await writeDoneFile(rows, accountRegNo, null);
    const { numDeletedRows } = await rows.deleteFrom('accounts').where('account_reg_no', '=', accountRegNo).executeTakeFirst();
    return numDeletedRows > 0n;
  });
}

export interface NewLogin {
  readonly login: string;
  readonly passwordHash: string | null;
  readonly publicKeys: readonly string[];
  readonly rules?: RuleChanges;
}

/** Adds a login without homes. Throws `exists`, and `usage` for rules that are none. */
export async function addLogin(on: Administration, { login, passwordHash, publicKeys, rules = {} }: NewLogin): Promise<void> {
  checkedName('login', login);
  const row = {
    login,
    password_hash: passwordHash,
    disabled_at: null,
    created_at: on.clock.now(),
    rules: JSON.stringify(changedRules({}, rules)),
  };
  await change(on, async (rows) => {
    const there = await rows.selectFrom('logins').select('login').where('login', '=', login).executeTakeFirst();
    if (there) throw new AppError('exists', `Login ${login} is there already; give it another name, or change it with 'dropgate login'.`);
    await rows.insertInto('logins').values(row).execute();
    for (const key of publicKeys) await rows.insertInto('login_keys').values({ login, public_key: key }).execute();
  });
}

/** Lets a login see a home under `folder`; '' puts its folders at the top, and then the login sees no other. Throws `usage`, `missing`, `exists`. */
export function addLoginHome(on: Administration, login: string, home: string, folder: string): Promise<void> {
  return change(on, async (rows) => {
    await mustHaveLogin(rows, login);
    const ofAccount = await rows.selectFrom('accounts').select('home').where('home', '=', home).executeTakeFirst();
    if (!ofAccount && !(await isShared(rows, home)))
      throw new AppError(
        'missing',
        `Account ${home} has no home on this gateway; add it with 'dropgate account add ${home} --login NAME'.`,
      );
    await putLoginHome(rows, { login, home, folder });
  });
}

/** Whether a partner's children have this home together. */
async function isShared(rows: Rows, home: string): Promise<boolean> {
  const partner = rows.selectFrom('partners').select('login').where('partner_reg_no', '=', home).where('consolidated', '=', 1);
  return (await partner.executeTakeFirst()) !== undefined;
}

/** An account whose home would be that of other people's children must not see it. Throws `exists`. */
export async function mustBeItsOwn(rows: Rows, accountRegNo: string): Promise<void> {
  if (await isShared(rows, accountRegNo)) {
    throw new AppError('exists', `${accountRegNo} names the home of a partner's children here, so no account of this number can have one.`);
  }
}

/** The row by which a login sees a home. The folder's name is fixed by it: programs at the other end have it in their scripts. */
export async function putLoginHome(rows: Rows, { login, home, folder }: { login: string; home: string; folder: string }): Promise<void> {
  if (folder !== '') checkedName('folder', folder);
  const homes = await rows.selectFrom('login_homes').selectAll().where('login', '=', login).execute();
  const before = homes.find((each) => each.home === home);
  if (before?.folder === folder) return;
  if (before) {
    const known = before.folder === '' ? 'at its top' : `in the folder '${before.folder}'`;
    throw new AppError('exists', `Login ${login} sees ${home} ${known} already, and that stays so: programs rely on it.`);
  }
  if (homes.length > 0 && (folder === '' || homes.some((each) => each.folder === ''))) {
    throw new AppError(
      'exists',
      `Login ${login} sees one account at its top, so no other fits beside it; 'dropgate login rename-folder ${login} . NAME' gives that one a folder first.`,
    );
  }
  const taken = homes.find((each) => each.folder.toLowerCase() === folder.toLowerCase());
  if (taken) {
    throw new AppError(
      'exists',
      `Login ${login} has a folder '${taken.folder}' already, of ${taken.home}; choose another name with --folder.`,
    );
  }
  await rows.insertInto('login_homes').values({ login, home, folder }).execute();
}

/** Gives a folder of a login another name; '' is the top. What relied on the old one finds it no more. Throws `usage`, `missing`, `exists`. */
export function renameFolder(on: Administration, login: string, folder: string, name: string): Promise<void> {
  return change(on, async (rows) => {
    await mustHaveLogin(rows, login);
    const row = await rows.selectFrom('login_homes').selectAll().where('login', '=', login).where('folder', '=', folder).executeTakeFirst();
    if (!row) throw new AppError('missing', `Login ${login} has no folder '${folder}'; 'dropgate login list' shows them.`);
    await rows.deleteFrom('login_homes').where('login', '=', login).where('home', '=', row.home).execute();
    await putLoginHome(rows, { ...row, folder: checkedName('folder', name) });
  });
}

/** Takes a home out of a login's sight; false when it did not see it. A partner whose children's one home that is has no login then. */
export function removeLoginHome(on: Administration, login: string, home: string): Promise<boolean> {
  return change(on, async (rows) => {
    const itsPartner = rows.updateTable('partners').where('partner_reg_no', '=', home).where('consolidated', '=', 1);
    await itsPartner.set({ login: null }).where('login', '=', login).execute();
    const { numDeletedRows } = await rows.deleteFrom('login_homes').where('login', '=', login).where('home', '=', home).executeTakeFirst();
    return numDeletedRows > 0n;
  });
}

export function listLogins(on: Administration): Promise<LoginRow[]> {
  return readLogins(on.ledger.read);
}

/** One that is disabled is refused as one that is not there; its sessions end. Throws `missing`. */
export function setLoginEnabled(on: Administration, login: string, enabled: boolean): Promise<void> {
  return change(on, async (rows) => {
    await mustHaveLogin(rows, login);
    await rows
      .updateTable('logins')
      .set({ disabled_at: enabled ? null : on.clock.now() })
      .where('login', '=', login)
      .execute();
  });
}

/** Throws `missing`. A running daemon ends its sessions within two seconds. A partner whose it was has none then. */
export function removeLogin(on: Administration, login: string): Promise<void> {
  return change(on, async (rows) => {
    await mustHaveLogin(rows, login);
    await rows.deleteFrom('login_homes').where('login', '=', login).execute();
    await rows.deleteFrom('login_keys').where('login', '=', login).execute();
    await rows.updateTable('partners').set({ login: null }).where('login', '=', login).execute();
    await rows.deleteFrom('logins').where('login', '=', login).execute();
  });
}

/** Throws `missing`. */
export function setPassword(on: Administration, login: string, passwordHash: string): Promise<void> {
  return change(on, async (rows) => {
    await mustHaveLogin(rows, login);
    await rows.updateTable('logins').set({ password_hash: passwordHash }).where('login', '=', login).execute();
  });
}

/** Throws `missing`; a key that is there already stays as it is. */
export function addPublicKey(on: Administration, login: string, publicKey: string): Promise<void> {
  return change(on, async (rows) => {
    await mustHaveLogin(rows, login);
    await rows
      .insertInto('login_keys')
      .values({ login, public_key: publicKey })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  });
}

/** Throws `missing` for a login or a key that is not there. `isMeant` picks the keys. Returns how many were removed. */
export function removePublicKeys(on: Administration, login: string, isMeant: (publicKey: string) => boolean): Promise<number> {
  return change(on, async (rows) => {
    await mustHaveLogin(rows, login);
    const keys = await rows.selectFrom('login_keys').select('public_key').where('login', '=', login).execute();
    const meant = keys.map((key) => key.public_key).filter(isMeant);
    if (meant.length === 0) throw new AppError('missing', `Login ${login} has no such key; 'dropgate login list --json' shows all.`);
    await rows.deleteFrom('login_keys').where('login', '=', login).where('public_key', 'in', meant).execute();
    return meant.length;
  });
}

/** Sets rules of a login, or takes them back; the others stay. Throws `missing`, and `usage` for rules that are none. */
export function changeRules(on: Administration, login: string, changes: RuleChanges): Promise<void> {
  return change(on, async (rows) => {
    await mustHaveLogin(rows, login);
    const { rules } = await rows.selectFrom('logins').select('rules').where('login', '=', login).executeTakeFirstOrThrow();
    const changed = JSON.stringify(changedRules(readRules(rules), changes));
    await rows.updateTable('logins').set({ rules: changed }).where('login', '=', login).execute();
  });
}

/** Throws `missing`. */
export async function mustHaveLogin(rows: Rows, login: string): Promise<void> {
  const row = await rows.selectFrom('logins').select('login').where('login', '=', login).executeTakeFirst();
  if (!row) throw new AppError('missing', `There is no login ${login}; 'dropgate login list' shows all.`);
}

/** A change of accounts, partners or logins: a running daemon notices it. */
export function change<Result>(on: Administration, work: (rows: Rows) => Promise<Result>): Promise<Result> {
  return on.ledger.write(async (rows) => {
    const result = await work(rows);
    await moveRevision(rows);
    return result;
  });
}

/** The last connections that came to nothing, the latest first: one for each address and login. */
export function listRejects(on: Administration): Promise<RejectRow[]> {
  return readRejects(on.ledger.read);
}
