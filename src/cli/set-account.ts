// `dropgate account set`: name, features, request budget and validation of an account of the embedded core; hints of a remote service;
// the form of receipts, done-files, and where documents are judged. And the addresses of an account of the embedded core.
import { type Command, Option } from 'commander';
import { FEATURES, type Feature } from '#contract/accounts.ts';
import { addParticipant, removeParticipant, updateCoreAccount } from '#core/operate/administration.ts';
import { AppError } from '#domain/error.ts';
import { PROFILE_POLICIES, SEVERITIES, type Validation, VERIFY_MODES } from '#domain/validation.ts';
import { type AccountChanges, changeAccount } from '#gateway/operate/account-rules.ts';
import { tellDoubts } from './address-doubts.ts';
import { type ConfigOptions, collect, configOf, configured, countOf, tellDone } from './command.ts';
import { coreOf, gatewayOf, withLedgers } from './ledgers.ts';
import { tellParticipants } from './partnership.ts';
import type { Terminal } from './terminal.ts';

interface SetOptions extends ConfigOptions {
  readonly name?: string;
  readonly feature: readonly string[];
  readonly requests?: string;
  readonly validation?: Validation['severity'];
  readonly verify?: Validation['verify'];
  readonly profiles?: Validation['profiles'];
  readonly hints?: 'on' | 'off';
  readonly receipts?: 'json' | 'text' | 'default';
  readonly doneFile?: string;
  readonly validate?: 'local' | 'core' | 'default';
}

/** Addresses of an account of the core here; those of a remote service's accounts are its own, or told by `partner link`. */
export function addParticipants(account: Command, terminal: Terminal): void {
  configured(account, 'add-participant <accountRegNo> <scheme:value>', 'give an account one more Peppol address').action(
    async (accountRegNo: string, participant: string, options: ConfigOptions) => {
      const { config } = configOf(options);
      await withLedgers(config, async (ledgers) => {
        await addParticipant(coreOf(ledgers), accountRegNo, participant);
        await tellParticipants(ledgers, accountRegNo);
      });
      tellDoubts(terminal, [participant]);
      tellDone(terminal, config, `Account ${accountRegNo} has the address ${participant}.`);
    },
  );
  configured(account, 'remove-participant <accountRegNo> <scheme:value>', 'take a Peppol address away from an account').action(
    async (accountRegNo: string, participant: string, options: ConfigOptions) => {
      const { config } = configOf(options);
      await withLedgers(config, async (ledgers) => {
        await removeParticipant(coreOf(ledgers), accountRegNo, participant);
        await tellParticipants(ledgers, accountRegNo);
      });
      tellDone(terminal, config, `Account ${accountRegNo} has the address ${participant} no more.`);
    },
  );
}

export function addSetAccount(account: Command, terminal: Terminal): void {
  configured(account, 'set <accountRegNo>', 'change what an account may do')
    .option('--name <name>', 'name of the company')
    .option('--feature <name=on|off>', `switch a feature: ${FEATURES.join(', ')}; may be repeated`, collect, [])
    .option('--requests <count>', "requests that it may make in a window, or 'default'")
    .addOption(new Option('--validation <severity>', 'strict: broken rules refuse a document; warn: they are warnings').choices(SEVERITIES))
    .addOption(new Option('--profiles <which>', 'documents of known profiles only, or of any').choices(PROFILE_POLICIES))
    .addOption(
      new Option(
        '--verify <mode>',
        'what it receives and breaks rules, where the access point asks: refuse, warn, off, or default (core.network.verify)',
      ).choices([...VERIFY_MODES, 'default']),
    )
    .addOption(
      new Option('--hints <switch>', 'let the gateway register its listener for hints at the remote service').choices(['on', 'off']),
    )
    .addOption(
      new Option('--receipts <form>', 'the form of its receipts: json, text, or default (gateway.receipts)').choices([
        'json',
        'text',
        'default',
      ]),
    )
    .option('--done-file <form>', 'documents in folders on disk wait for a second file: .done for NAME.xml.done, *.done for NAME.done, off')
    .addOption(
      new Option(
        '--validate <where>',
        'where its documents are judged before they are sent: local, core, or default (gateway.validate)',
      ).choices(['local', 'core', 'default']),
    )
    .action(async (accountRegNo: string, options: SetOptions) => {
      const switches = options.feature.map(switchOf);
      const requestsMax = countOf('--requests', options.requests);
      const validation = {
        ...(options.validation && { severity: options.validation }),
        ...(options.profiles && { profiles: options.profiles }),
        ...(options.verify && { verify: options.verify }),
      };
      const { name } = options;
      const features = Object.fromEntries(switches.map(({ feature, active }) => [feature, active]));
      const inCore = { name, features, validation, ...(requestsMax !== undefined && { requestsMax }) };
      const isInCore =
        [switches, Object.keys(validation)].some(({ length }) => length > 0) || requestsMax !== undefined || name !== undefined;
      const here = changesHere(options);
      const isHere = Object.keys(here).length > 0;
      if (!isInCore && !isHere) {
        throw new AppError('usage', "Say what to change: 'dropgate account set --help' shows all.");
      }
      const { config } = configOf(options);
      await withLedgers(config, async (ledgers) => {
        if (isInCore) await updateCoreAccount(coreOf(ledgers), accountRegNo, inCore);
        if (isHere) await changeAccount(gatewayOf(ledgers), accountRegNo, here);
      });
      tellDone(terminal, config, `Account ${accountRegNo} was changed.`);
    });
}

/** What is set at the gateway. */
function changesHere({ hints, receipts, validate, doneFile }: SetOptions): AccountChanges {
  return {
    ...(hints !== undefined && { hints: hints === 'on' }),
    ...(receipts !== undefined && { receipts: receipts === 'default' ? null : receipts }),
    ...(validate !== undefined && { validate: validate === 'default' ? null : validate }),
    ...(doneFile !== undefined && { doneFile: doneFile === 'off' ? null : doneFile }),
  };
}

function switchOf(text: string): { feature: Feature; active: boolean } {
  const [name, value] = text.split('=');
  const feature = FEATURES.find((each) => each === name);
  if (!feature || (value !== 'on' && value !== 'off')) {
    throw new AppError('usage', `--feature must be NAME=on or NAME=off, where NAME is one of ${FEATURES.join(', ')}, not '${text}'.`);
  }
  return { feature, active: value === 'on' };
}
