// Accounts, partners and logins: lists, and everything that is set about one.
import { counted } from '#domain/amounts.ts';
import { toldOfCore, toldOfHome } from '#operations/account-words.ts';
import { shownRules } from '#operations/login-rule-words.ts';
import { toldRhythm } from '#operations/rhythm-words.ts';
import type { AnswerOf } from '#operations/table.ts';
import { type Html, html, type Part } from './html.ts';
import { listing } from './pages-of-list.ts';
import { button, buttons, facts, section, table } from './parts.ts';
import type { Look, Visit } from './visit.ts';
import { accountLink, address, badge, link, moment } from './words.ts';

type Account = AnswerOf<'account.list'>[number];
type Partner = AnswerOf<'partner.list'>[number];
type Login = AnswerOf<'login.list'>[number];

const loginLink = (login: string): Html => link(address('/login-of', { id: login }), login);
const partnerLink = (partnerRegNo: string): Html => link(address('/partner', { id: partnerRegNo }), partnerRegNo);

/** At most so many of a list stand in one cell. */
const SHOWN_MAX = 5;

function some(names: readonly string[], shown: (name: string) => Part = (name) => name): Part {
  const rest = names.length - SHOWN_MAX;
  const parts = names.slice(0, SHOWN_MAX).map((name, at) => html`${at > 0 && ', '}${shown(name)}`);
  return parts.length > 0 && html`${parts}${rest > 0 && ` and ${rest} more`}`;
}

/** What an operator may do whose role is to act; `kind`: `account`, `partner`, `login`. */
function switches({ role }: Visit, kind: string, id: string, isEnabled: boolean | null, changes: Readonly<Record<string, string>>): Part {
  const verb = isEnabled === true ? 'disable' : 'enable';
  const acts = { ...changes, ...(isEnabled !== null && { [`${verb}-${kind}`]: isEnabled ? 'Disable' : 'Enable' }) };
  return role === 'act' && buttons(Object.entries(acts).map(([act, label]) => button(act, id, label)));
}

function adding({ role }: Visit, kind: string): Part {
  return role === 'act' && buttons([button(`add-${kind}`, '', `Add ${kind === 'account' ? 'an' : 'a'} ${kind}`)]);
}

/** Each with what it is called beside the name of what it changes. */
const CHANGES = {
  account: {
    'change-account': 'Change',
    'add-address': 'Add an address',
    'remove-address': 'Remove an address',
    'rotate-account-key': 'Make a new API key',
  },
  'account elsewhere': { 'change-account': 'Change', 'rotate-account-key': 'Make a new API key' },
  'child elsewhere': { 'change-account': 'Change' },
  partner: {
    'change-partner': 'Change',
    'link-account': 'Link an account',
    'unlink-account': 'Unlink an account',
    'rotate-partner-key': 'Make a new API key',
  },
  login: {
    'change-rules': 'Change its rules',
    'add-key': 'Add a key',
    'remove-key': 'Remove a key',
    'set-password': 'Set a new password',
    'let-see': 'Let it see an account',
    'no-more-see': 'Take an account out of sight',
  },
} as const;

function changesOf({ features, home }: AnswerOf<'account.show'>): Readonly<Record<string, string>> {
  if (features) return CHANGES.account;
  return home?.ownKey ? CHANGES['account elsewhere'] : CHANGES['child elsewhere'];
}

export const accounts: Look = async (visit) =>
  listing<Account>(
    visit,
    {
      title: 'Accounts',
      path: '/accounts',
      nothing: 'There is no such account. `dropgate account add` adds one.',
      nameOf: ({ accountRegNo }) => accountRegNo,
      rowsOf: (page) => visit.ask('account.list', { page }),
      columns: {
        account: ({ accountRegNo }) => accountLink(accountRegNo),
        name: ({ name }) => name,
        state: ({ state }) => badge(state),
        addresses: ({ participants }) => some(participants),
        logins: (row) => some(row.logins, loginLink),
        'last pick-up': ({ lastPickupAt }) => moment(lastPickupAt, visit.nowMs),
      },
    },
    adding(visit, 'account'),
  );

export const account: Look = async (visit) => {
  const found = await visit.ask('account.show', { accountRegNo: visit.query.get('id') ?? '' });
  const { accountRegNo, name, state, participants, logins: names, home, lastPickupAt } = found;
  const body = html`<h1>${name || accountRegNo} ${badge(state)}</h1>
${switches(visit, 'account', accountRegNo, state === 'active', changesOf(found))}
<p>${link(address('/find', { account: accountRegNo }), 'Its documents')}</p>
${facts({
  account: accountRegNo,
  addresses: participants.join(', '),
  logins: some(names, loginLink),
  'usually sends': home?.rhythm && toldRhythm(home.rhythm),
  'last pick-up': moment(lastPickupAt, visit.nowMs),
  ...toldOfCore(found),
})}
${home && section('Its home here', facts(toldOfHome(home)))}`;
  return { title: name || accountRegNo, body };
};

export const partners: Look = async (visit) =>
  listing<Partner>(
    visit,
    {
      title: 'Partners',
      path: '/partners',
      nothing: 'There is no such partner.',
      nameOf: ({ partnerRegNo }) => partnerRegNo,
      rowsOf: (page) => visit.ask('partner.list', { page }),
      columns: {
        partner: ({ partnerRegNo }) => partnerLink(partnerRegNo),
        name: ({ name }) => name,
        state: ({ enabled }) => enabled !== null && badge(enabled ? 'active' : 'disabled'),
        'acts for': (row) => some(row.accounts, accountLink),
      },
    },
    adding(visit, 'partner'),
  );

export const partner: Look = async (visit) => {
  const found = await visit.ask('partner.show', { partnerRegNo: visit.query.get('id') ?? '' });
  const { partnerRegNo, name, enabled, login: seenBy, consolidated, requestsMax, childrenMax, children } = found;
  const columns = {
    account: (child: (typeof children)[number]) => accountLink(child.accountRegNo),
    folder: ({ folder }: (typeof children)[number]) => folder,
    state: ({ state }: (typeof children)[number]) => badge(state),
    addresses: ({ participants }: (typeof children)[number]) => some(participants),
  };
  const body = html`<h1>${name || partnerRegNo} ${enabled !== null && badge(enabled ? 'active' : 'disabled')}</h1>
${switches(visit, 'partner', partnerRegNo, enabled, CHANGES.partner)}
${facts({
  partner: partnerRegNo,
  login: seenBy && loginLink(seenBy),
  home: consolidated ? 'one for all its accounts' : 'one for each account',
  'requests a minute': requestsMax,
  'accounts at the most': childrenMax,
})}
${section('Acts for', table('Accounts of the partner', columns, children, 'It acts for no account here.'))}`;
  return { title: name || partnerRegNo, body };
};

export const logins: Look = async (visit) =>
  listing<Login>(
    visit,
    {
      title: 'Logins',
      path: '/logins',
      nothing: 'There is no such login.',
      nameOf: ({ login: name }) => name,
      rowsOf: (page) => visit.ask('login.list', { page }),
      columns: {
        login: (row) => loginLink(row.login),
        state: ({ state }) => badge(state),
        'gets in by': (row) => waysOf(row),
        sees: ({ homes }) =>
          some(
            homes.map(({ home }) => home),
            accountLink,
          ),
        rules: ({ rules }) => shownRules(rules),
        'last login': ({ lastLogin }) => lastLogin && moment(lastLogin.at, visit.nowMs),
        'last pick-up': ({ lastPickupAt }) => moment(lastPickupAt, visit.nowMs),
      },
    },
    adding(visit, 'login'),
  );

export const login: Look = async (visit) => {
  const found = await visit.ask('login.show', { login: visit.query.get('id') ?? '' });
  const columns = {
    home: ({ home }: (typeof found.homes)[number]) => accountLink(home),
    folder: ({ folder }: (typeof found.homes)[number]) => folder || 'at the top',
  };
  const body = html`<h1>${found.login} ${badge(found.state)}</h1>
${switches(visit, 'login', found.login, found.state === 'active', CHANGES.login)}
${buttons([button('connection-kit', found.login, 'Connection kit')])}
${facts({
  'gets in by': waysOf(found),
  rules: shownRules(found.rules),
  'last login': found.lastLogin && html`${moment(found.lastLogin.at, visit.nowMs)} from ${found.lastLogin.address}`,
  'last pick-up': moment(found.lastPickupAt, visit.nowMs),
})}
${section('Sees', table('Homes that the login sees', columns, found.homes, 'It sees no account.'))}
${found.publicKeys.length > 0 && section('Keys', html`<ul class="keys">${found.publicKeys.map((key) => html`<li><code>${key}</code></li>`)}</ul>`)}`;
  return { title: found.login, body };
};

function waysOf({ hasPassword, publicKeys }: Login): string {
  return [hasPassword ? 'password' : [], publicKeys.length > 0 ? counted(publicKeys.length, 'key') : []].flat().join(', ');
}
