// `dropgate account set`: name, features, request budget and validation of an account of the embedded core; hints of a remote service;
// the form of receipts, done-files, where documents are judged; and for how long what has ended is kept. And the addresses of an account of the embedded core.

import type { Command } from 'commander';
import { FEATURES, type Feature } from '#domain/account.ts';
import { AppError } from '#domain/error.ts';
import { RECEIPT_FORMS, type ReceiptForm } from '#domain/receipt-forms.ts';
import { PROFILE_POLICIES, SEVERITIES, type Validation, VERIFY_MODES } from '#domain/validation.ts';
import { type KeepOptions, keepingHere, keepingInCore } from '#operations/keeping-words.ts';
import type { InputOf } from '#operations/table.ts';
import { tellDoubts } from './address-doubts.ts';
import type { Commands } from './commands.ts';
import { collect, countOf, oneOf } from './options.ts';

type Changes = InputOf<'account.set'>;

interface SetOptions extends KeepOptions {
  readonly name?: string;
  readonly feature: readonly string[];
  readonly requests?: string;
  readonly validation?: Validation['severity'];
  readonly verify?: Validation['verify'];
  readonly profiles?: Validation['profiles'];
  readonly hints?: 'on' | 'off';
  readonly receipts?: ReceiptForm | 'default';
  readonly doneFile?: string;
  readonly validate?: 'local' | 'core' | 'default';
  readonly unreachable?: 'at-once' | 'default';
  readonly reconciliation?: 'daily' | 'off';
  readonly repair?: 'suggest' | 'off';
}

/** Addresses of an account of the core here; those of a remote service's accounts are its own, or told by `partner link`. */
export function addParticipants(account: Commands): void {
  const input = (accountRegNo: string, participant: string) => ({ accountRegNo, participant });
  const told = (more: string) =>
    account.outcome(
      ({ accountRegNo, participant }: InputOf<'account.add-participant'>) =>
        `Account ${accountRegNo} has the address ${participant}${more}.`,
    );
  account.asks(
    'add-participant <accountRegNo> <scheme:value>',
    'account.add-participant',
    async (accountRegNo: string, participant: string) => {
      await tellDoubts(account.terminal, [participant]);
      return input(accountRegNo, participant);
    },
    told(''),
  );
  account.asks('remove-participant <accountRegNo> <scheme:value>', 'account.remove-participant', input, told(' no more'));
}

export function addSetAccount(account: Commands): void {
  const command = account.asks(
    'set <accountRegNo>',
    'account.set',
    (accountRegNo: string, options: SetOptions) => ({ accountRegNo, core: changesInCore(options), home: changesHere(options) }),
    account.outcome(({ accountRegNo }) => `Account ${accountRegNo} was changed.`),
  );
  withKeeping(command)
    .option('--name <name>', 'name of the company')
    .option('--feature <name=on|off>', `switch a feature: ${FEATURES.join(', ')}; may be repeated`, collect, [])
    .option('--requests <count>', "requests that it may make in a window, or 'default'")
    .addOption(oneOf('--validation <severity>', 'strict: broken rules refuse a document; warn: they are warnings', SEVERITIES))
    .addOption(oneOf('--profiles <which>', 'documents of known profiles only, or of any', PROFILE_POLICIES))
    .addOption(oneOf('--verify <mode>', VERIFY, [...VERIFY_MODES, 'default']))
    .addOption(oneOf('--hints <switch>', 'let the gateway register its listener for hints at the remote service', ['on', 'off']))
    .addOption(
      oneOf('--receipts <form>', `the form of its receipts: ${RECEIPT_FORMS.join(', ')}, or default (gateway.receipts)`, [
        ...RECEIPT_FORMS,
        'default',
      ]),
    )
    .option('--done-file <form>', 'documents in folders on disk wait for a second file: .done for NAME.xml.done, *.done for NAME.done, off')
    .addOption(oneOf('--validate <where>', VALIDATE, ['local', 'core', 'default']))
    .addOption(oneOf('--unreachable <when>', UNREACHABLE, ['at-once', 'default']))
    .addOption(oneOf('--reconciliation <rhythm>', RECONCILIATION, ['daily', 'off']))
    .addOption(oneOf('--repair <how>', REPAIR, ['suggest', 'off']));
}

function withKeeping(command: Command): Command {
  return command
    .option('--keep-items <duration>', "how long the gateway's ledger keeps files that have ended: 730d, 'forever' or 'default'")
    .option('--keep-accepted <duration>', "how long originals that the service took stay in its home: 30d or 'default'")
    .option('--keep-receipts <duration>', "how long receipts and refused originals stay in its home: 90d or 'default'")
    .option('--keep-failed-uploads <duration>', "how long uploads to its home that came to nothing are remembered: 30d or 'default'")
    .option('--keep-messages <duration>', "how long the core keeps its messages: 730d, 'forever' or 'default'");
}

const VERIFY = 'what it receives and breaks rules, where the access point asks: refuse, warn, off, or default (core.network.verify)';
const VALIDATE = 'where its documents are judged before they are sent: local, core, or default (gateway.validate)';
const UNREACHABLE = 'when it is told of a receiver that is certainly not registered: at-once, or default (after tries of about 20 hours)';
const RECONCILIATION = 'a signed file of all that it dropped and received, among its receipts: daily, or off';
const REPAIR =
  'where only forms of a refused document are wrong (a date, the letters of a code): suggest a repaired one beside it, which is never sent by itself, or off';

function isChange(changes: object): boolean {
  return Object.keys(changes).length > 0;
}

function changesInCore({ name, feature, requests, validation: severity, verify, profiles, ...keep }: SetOptions): Changes['core'] {
  const requestsMax = countOf('--requests', requests);
  const keepMessages = keepingInCore(keep);
  const validation = { ...(severity && { severity }), ...(profiles && { profiles }), ...(verify && { verify }) };
  return {
    ...(name !== undefined && { name }),
    ...(feature.length > 0 && { features: Object.fromEntries(feature.map(switchOf)) }),
    ...(requestsMax !== undefined && { requestsMax }),
    ...(keepMessages !== undefined && { keepMessages }),
    ...(isChange(validation) && { validation }),
  };
}

/** What is set at the gateway. */
function changesHere({
  hints,
  receipts,
  validate,
  unreachable,
  reconciliation,
  repair,
  doneFile,
  ...options
}: SetOptions): Changes['home'] {
  const keep = keepingHere(options);
  return {
    ...(isChange(keep) && { keep }),
    ...(hints !== undefined && { hints: hints === 'on' }),
    ...(receipts !== undefined && { receipts: receipts === 'default' ? null : receipts }),
    ...(validate !== undefined && { validate: validate === 'default' ? null : validate }),
    ...(unreachable !== undefined && { unreachable: unreachable === 'default' ? null : unreachable }),
    ...(reconciliation !== undefined && { reconciliation: reconciliation === 'off' ? null : reconciliation }),
    ...(repair !== undefined && { repair: repair === 'off' ? null : repair }),
    ...(doneFile !== undefined && { doneFile: doneFile === 'off' ? null : doneFile }),
  };
}

function switchOf(text: string): [feature: Feature, active: boolean] {
  const [name, value] = text.split('=');
  const feature = FEATURES.find((each) => each === name);
  if (!feature || (value !== 'on' && value !== 'off')) {
    throw new AppError('usage', `--feature must be NAME=on or NAME=off, where NAME is one of ${FEATURES.join(', ')}, not '${text}'.`);
  }
  return [feature, value === 'on'];
}
