// `dropgate account set`: features, the request budget and the validation of an account of the embedded core; hints of a remote service;
// done-files, and where documents are judged.
import { type Command, Option } from 'commander';
import { FEATURES, type Feature } from '#contract/accounts.ts';
import { setFeature, setRequestsMax, setValidation } from '#core/administration.ts';
import { AppError } from '#domain/error.ts';
import { PROFILE_POLICIES, SEVERITIES, type Validation } from '#domain/validation.ts';
import { setDoneFile, setHints, setValidate } from '#gateway/accounts/administration.ts';
import { type ConfigOptions, collect, configOf, configured } from './command.ts';
import { coreOf, gatewayOf, withLedgers } from './ledgers.ts';
import type { Terminal } from './terminal.ts';

const REQUESTS_MAX = 10_000_000;

interface SetOptions extends ConfigOptions {
  readonly feature: readonly string[];
  readonly requests?: string;
  readonly validation?: Validation['severity'];
  readonly profiles?: Validation['profiles'];
  readonly hints?: 'on' | 'off';
  readonly doneFile?: string;
  readonly validate?: 'local' | 'core' | 'default';
}

export function addSetAccount(account: Command, terminal: Terminal): void {
  configured(account, 'set <accountRegNo>', 'change what an account may do')
    .option('--feature <name=on|off>', `switch a feature: ${FEATURES.join(', ')}; may be repeated`, collect, [])
    .option('--requests <count>', "requests that it may make in a window, or 'default'")
    .addOption(new Option('--validation <severity>', 'strict: broken rules refuse a document; warn: they are warnings').choices(SEVERITIES))
    .addOption(new Option('--profiles <which>', 'documents of known profiles only, or of any').choices(PROFILE_POLICIES))
    .addOption(
      new Option('--hints <switch>', 'let the gateway register its listener for hints at the remote service').choices(['on', 'off']),
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
      const requestsMax = requestsOf(options.requests);
      const validation = {
        ...(options.validation && { severity: options.validation }),
        ...(options.profiles && { profiles: options.profiles }),
      };
      const judged = Object.keys(validation).length > 0;
      const { hints, doneFile, validate } = options;
      const changed = [requestsMax, hints, doneFile, validate].some((each) => each !== undefined);
      if (switches.length === 0 && !judged && !changed) {
        throw new AppError('usage', 'Give --feature, --requests, --validation, --profiles, --hints, --done-file or --validate.');
      }
      await withLedgers(configOf(options).config, async (ledgers) => {
        for (const { feature, active } of switches) await setFeature(coreOf(ledgers), accountRegNo, feature, active);
        if (judged) await setValidation(coreOf(ledgers), accountRegNo, validation);
        if (hints !== undefined) await setHints(gatewayOf(ledgers), accountRegNo, hints === 'on');
        if (doneFile !== undefined) await setDoneFile(gatewayOf(ledgers), accountRegNo, doneFile === 'off' ? null : doneFile);
        if (validate !== undefined) await setValidate(gatewayOf(ledgers), accountRegNo, validate === 'default' ? null : validate);
        if (requestsMax !== undefined) await setRequestsMax(coreOf(ledgers), accountRegNo, requestsMax);
      });
      terminal.print(`Account ${accountRegNo} was changed.`);
    });
}

function switchOf(text: string): { feature: Feature; active: boolean } {
  const [name, value] = text.split('=');
  const feature = FEATURES.find((each) => each === name);
  if (!feature || (value !== 'on' && value !== 'off')) {
    throw new AppError('usage', `--feature must be NAME=on or NAME=off, where NAME is one of ${FEATURES.join(', ')}, not '${text}'.`);
  }
  return { feature, active: value === 'on' };
}

/** Null is the usual budget; undefined leaves it as it is. */
function requestsOf(text: string | undefined): number | null | undefined {
  if (text === undefined) return undefined;
  if (text === 'default') return null;
  const requests = Number(text);
  if (!/^\d+$/.test(text) || requests < 1 || requests > REQUESTS_MAX) {
    throw new AppError('usage', `--requests must be a whole number from 1 to ${REQUESTS_MAX}, or 'default', not '${text}'.`);
  }
  return requests;
}
