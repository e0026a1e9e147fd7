// The form in which accounts, partners and logins are declared in a file: what `dropgate export` prints and `dropgate apply` reads.

import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { PartialProfile } from '#contract/accounts.ts';
import { closed } from '#contract/closed.ts';
import { RECEIPT_FORMS } from '#domain/receipt-forms.ts';
import { LoginRules } from '#gateway/model/login-rules.ts';
import { OUTBOX_RULES } from '#gateway/model/rule-words.ts';
import { Features, Validation } from './account-forms.ts';

const strict = { additionalProperties: false };
const Text = Type.Optional(Type.String());
const Texts = Type.Optional(Type.Array(Type.String()));
const Switch = Type.Optional(Type.Boolean());

/** As `account receiving` has them: times such as 30d, or the word for none. */
const Receiving = closed({
  from: Text,
  marks: Switch,
  outbox: Type.Optional(Type.Enum(OUTBOX_RULES)),
  keepOutbox: Text,
  pickup: Text,
  archive: Text,
});
export type DeclaredReceiving = Static<typeof Receiving>;

/** As `account set` has them with --keep-items and the like. */
const Keep = closed({ items: Text, accepted: Text, receipts: Text, failedUploads: Text, messages: Text });
export type DeclaredKeep = Static<typeof Keep>;

/** Where the API key is that a remote service gave: never the key itself. */
const ApiKey = Type.Optional(Type.Union([closed({ file: Type.String() }), closed({ env: Type.String() })]));

/** What the gateway has of an account. */
const AccountHere = closed({
  /** `own`: the gateway has an API key of the account. `partner`: it acts by the partner's. */
  key: Type.Optional(Type.Enum(['own', 'partner'])),
  apiKey: ApiKey,
  receipts: Type.Optional(Type.Enum(RECEIPT_FORMS)),
  hints: Switch,
  validate: Type.Optional(Type.Enum(['local', 'core'])),
  unreachable: Type.Optional(Type.Enum(['at-once'])),
  reconciliation: Type.Optional(Type.Enum(['daily'])),
  repair: Type.Optional(Type.Enum(['suggest'])),
  doneFile: Text,
  receiving: Type.Optional(Receiving),
});
const Account = closed({
  accountRegNo: Type.String(),
  enabled: Switch,
  // Of the core.
  name: Text,
  participants: Texts,
  features: Type.Optional(Type.Partial(Features, strict)),
  requests: Type.Optional(Type.Integer({ minimum: 1 })),
  validation: Type.Optional(Type.Partial(Validation, strict)),
  profile: Type.Optional(PartialProfile),
  /** For how long what has ended is kept: of the core, and of its home here. */
  keep: Type.Optional(Keep),
  home: Type.Optional(AccountHere),
});
const Child = closed({
  accountRegNo: Type.String(),
  folder: Text,
  /** Who sees it, where that is not the partner's login; null: nobody. */
  login: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  participants: Texts,
  /** False: its partner may act for it no more, and its files wait here. */
  linked: Switch,
  /** False: it is linked in the core, and this gateway does not serve it. */
  here: Switch,
});
const Partner = closed({
  partnerRegNo: Type.String(),
  enabled: Switch,
  /** A core beside the gateway wants it. */
  name: Text,
  apiKey: ApiKey,
  /** The gateway acts for its children, although it has neither a login nor a home for all. */
  here: Switch,
  /** One home for all its children. */
  consolidated: Switch,
  /** The login that sees its children. */
  login: Text,
  /** Requests in one window for all its tokens together, and accounts beyond which it can make no more; where they are its own. */
  requests: Type.Optional(Type.Integer({ minimum: 1 })),
  childrenMax: Type.Optional(Type.Integer({ minimum: 1 })),
  /** Its children, by number alone where nothing else is to be said. */
  accounts: Type.Optional(Type.Array(Type.Union([Type.String(), Child]))),
});
const Home = closed({ accountRegNo: Type.String(), folder: Text });
const Login = closed({
  login: Type.String(),
  enabled: Switch,
  passwordHash: Text,
  publicKeys: Texts,
  homes: Type.Optional(Type.Array(Home)),
  rules: Type.Optional(LoginRules),
});
export const Declaration = closed({
  accounts: Type.Optional(Type.Array(Account)),
  partners: Type.Optional(Type.Array(Partner)),
  logins: Type.Optional(Type.Array(Login)),
});
export type Declaration = Static<typeof Declaration>;

export type DeclaredAccount = Static<typeof Account>;
export type DeclaredPartner = Static<typeof Partner>;
export type DeclaredChild = Static<typeof Child>;
export type DeclaredLogin = Static<typeof Login>;

export const declarationChecker = Compile(Declaration);
