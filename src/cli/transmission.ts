// `dropgate transmission`: what is owed to the network, what became of it, and trying again what was given up.

import {
  type ListedTransmission,
  selectTransmissions,
  TRANSMISSION_STATES,
  type TransmissionState,
} from '#core/ledger/transmission-list.ts';
import { type Retried, retryTransmission, type ShownTransmission, showTransmission } from '#core/operate/transmissions.ts';
import { isoTime } from '#domain/day.ts';
import { AppError } from '#domain/error.ts';
import { followAgain } from '#gateway/follow/statuses.ts';
import { coreOf, type Ledgers } from '#operations/installation.ts';
import type { AddCommand } from './commands.ts';
import { withLedgersAudited } from './ledgers.ts';
import { collect, configOf, type JsonOptions } from './options.ts';

/** Transmissions of one list. */
const LISTED_MAX = 10_000;
/** What somebody may have to look after. */
const USUAL: readonly TransmissionState[] = ['waiting', 'handed', 'failed', 'silent'];

interface ListOptions {
  readonly state: readonly string[];
  readonly account?: string;
}

export const addTransmissionCommands: AddCommand = (commands) => {
  const transmission = commands.group('transmission');

  const listing = { what: 'such transmissions', line: lineOf, facts: timed };
  const listed = `list what waits, what the access point has, and what failed, the latest first; ${LISTED_MAX} at most`;
  transmission
    .list('list', listed, listing, (on, { state, account }: ListOptions) =>
      selectTransmissions(coreOf(on).ledger.read, { states: statesOf(state), accountRegNo: account ?? null, limit: LISTED_MAX }),
    )
    .option('--state <state>', `those in this state instead: ${TRANSMISSION_STATES.join(', ')}; may be given several times`, collect, [])
    .option('--account <accountRegNo>', 'those of one account');

  const showing = 'show one transmission, the statuses of its message, and what was answered to it';
  transmission.show('show <instance>', showing, async (on, instanceId: string) => {
    const shown = await showTransmission(coreOf(on), instanceId);
    return { facts: shownAsJson(shown), lines: linesOf(shown) };
  });

  const retrying = 'have tried again what failed; its sender hears of it by further receipts';
  transmission
    .configured('retry <instanceId...>', retrying)
    .option('--json', 'print one JSON object per line')
    .action(async (instanceIds: string[], options: JsonOptions) => {
      const { config } = configOf(options);
      await withLedgersAudited(config, { what: 'transmission retry', given: { instanceIds } }, async (ledgers) => {
        for (const instanceId of instanceIds) {
          const facts = await retry(ledgers, instanceId);
          const { accountRegNo, integrationId, instanceId: name } = facts;
          commands.tell(config, options, { facts, done: `${accountRegNo} ${integrationId} is tried again as ${name}.` });
        }
      });
    });
};

async function retry(ledgers: Ledgers, instanceId: string): Promise<Retried> {
  const retried = await retryTransmission(coreOf(ledgers), instanceId);
  if (ledgers.gateway) await followAgain(ledgers.gateway, retried);
  return retried;
}

function statesOf(given: readonly string[]): readonly TransmissionState[] {
  const states = TRANSMISSION_STATES.filter((state) => given.includes(state));
  if (given.length === 0) return USUAL;
  if (states.length === new Set(given).size) return states;
  throw new AppError('usage', `--state must be one of ${TRANSMISSION_STATES.join(', ')}.`);
}

function lineOf({
  createdAt,
  instanceId,
  state,
  accountRegNo,
  family,
  documentId,
  receiver,
  attempts,
  reason,
}: ListedTransmission): string[] {
  return [isoTime(createdAt), instanceId, state, accountRegNo, `${family} ${documentId}`, receiver, `${attempts} tries`, reason ?? ''];
}

function timed({ sequence: _, createdAt, handedAt, postedAt, nextAttemptAt, ...rest }: ListedTransmission): object {
  const times = { createdAt, handedAt, postedAt, nextAttemptAt };
  return { ...rest, ...Object.fromEntries(Object.entries(times).map(([name, ms]) => [name, isoTime(ms)])) };
}

function shownAsJson({ transmission, statuses, responses }: ShownTransmission): object {
  return {
    ...timed(transmission),
    statuses: statuses.map(({ at, ...rest }) => ({ ...rest, at: isoTime(at) })),
    answers: responses.map(({ kind, code, reason: text, receivedAt, findings }) => ({
      kind,
      code,
      text,
      at: isoTime(receivedAt),
      findings,
    })),
  };
}

/** One fact a line: its name, and what it is. */
function linesOf({ transmission, statuses, responses }: ShownTransmission): string[] {
  const facts = Object.entries(timed(transmission)).flatMap(([name, value]) => (value === null ? [] : [[name, String(value)]]));
  const told = statuses.map(({ status, at, reason }) => ['status', isoTime(at), status, reason ?? '']);
  const responded = responses.flatMap(({ kind, code, reason, receivedAt, findings }) => [
    ['answer', isoTime(receivedAt), `${kind} ${code}`, reason ?? ''],
    ...findings.map(({ rule, message, path }) => ['finding', rule, path ?? '', message]),
  ]);
  return [...facts, ...told, ...responded].map((words) => words.join('\t'));
}
