// What is set about an account, in words: as commands and the page tell it, by the same names.
import { FEATURES, type Feature } from '#domain/account.ts';
import { toldKeeping } from './keeping-words.ts';
import { toldReceiving } from './receiving-words.ts';
import type { AnswerOf } from './table.ts';

type Account = AnswerOf<'account.show'>;
type Home = NonNullable<Account['home']>;
type Validation = NonNullable<Account['validation']>;
type Told = Readonly<Record<string, string | number | null>>;

const FEATURE_WORDS: Readonly<Record<Feature, string>> = { apiIntegration: 'the API', sftpIntegration: 'SFTP', capture: 'capture' };

const SEVERITY_WORDS: Readonly<Record<Validation['severity'], string>> = {
  strict: 'broken rules refuse a document',
  warn: 'broken rules are warnings',
};
const PROFILE_WORDS: Readonly<Record<Validation['profiles'], string>> = {
  known: 'only known profiles are sent',
  any: 'any profile is sent',
};
const VERIFY_WORDS: Readonly<Record<Validation['verify'], string>> = {
  refuse: 'what is received and breaks rules is refused',
  warn: 'what is received and breaks rules comes with a warning',
  off: 'what is received is not judged',
  default: 'what is received is judged as core.network.verify says',
};

/** What the core has of it; of an account of a remote service nothing. */
export function toldOfCore({ features, validation, requestsMax }: Pick<Account, 'features' | 'validation' | 'requestsMax'>): Told {
  const used = features && FEATURES.filter((feature) => features[feature]).map((feature) => FEATURE_WORDS[feature]);
  const judged = validation && [SEVERITY_WORDS[validation.severity], PROFILE_WORDS[validation.profiles], VERIFY_WORDS[validation.verify]];
  return {
    'may use': used && (used.join(', ') || 'nothing'),
    rules: judged?.join('; ') ?? null,
    'requests a minute': requestsMax,
  };
}

export function toldOfHome({ ownKey, hints, doneFile, receiving, keep, ...home }: Home): Told {
  return {
    'API key': ownKey ? 'its own' : "its partner's",
    receipts: home.receipts ?? 'as gateway.receipts says',
    'judged by': home.validate ?? 'as gateway.validate says',
    'unreachable receivers': home.unreachable ?? 'tried for about 20 hours',
    'reconciliation file': home.reconciliation ?? 'none',
    repairs: home.repair ?? 'off',
    hints: hints ? 'on' : 'off',
    'done-file': doneFile,
    receiving: pairs(toldReceiving(receiving)),
    kept: pairs(toldKeeping(keep, null) ?? {}),
  };
}

/** `outbox=downloaded keepOutbox=20d`, as options and declarations have them. */
function pairs(rules: object): string {
  return Object.entries(rules)
    .map(([rule, value]) => `${rule}=${value}`)
    .join(' ');
}
