// `dropgate transmission`: what is owed to the network, what became of it, and trying again what was given up.
import { TRANSMISSION_STATES } from '#core/model/transmission.ts';
import type { AnswerOf } from '#operations/table.ts';
import type { AddCommand, Fact } from './commands.ts';
import { collect, wordsOf } from './options.ts';

interface ListOptions {
  readonly state: readonly string[];
  readonly account?: string;
}

export const addTransmissionCommands: AddCommand = (commands) => {
  const transmission = commands.group('transmission');
  const table = transmission.table<AnswerOf<'transmission.list'>[number]>('such transmissions', {
    created: ({ createdAt }) => ({ at: createdAt }),
    transmission: ({ instanceId }) => instanceId,
    state: ({ state }) => ({ state }),
    account: ({ accountRegNo }) => accountRegNo,
    document: ({ family, documentId }) => `${family} ${documentId}`,
    receiver: ({ receiver }) => receiver,
    tries: ({ attempts }) => ({ people: attempts, programs: `${attempts} tries` }),
    reason: ({ reason }) => reason,
  });
  const input = ({ state, account: accountRegNo }: ListOptions) => ({
    ...(state.length > 0 && { states: wordsOf('--state', state, TRANSMISSION_STATES) }),
    ...(accountRegNo !== undefined && { accountRegNo }),
  });
  transmission
    .asks('list', 'transmission.list', input, table)
    .option('--state <state>', `those in this state instead: ${TRANSMISSION_STATES.join(', ')}; may be given several times`, collect, [])
    .option('--account <accountRegNo>', 'those of one account');

  transmission.asks('show <instance>', 'transmission.show', (instanceId: string) => ({ instanceId }), transmission.facts(factsOf));

  transmission.asks(
    'retry <instanceId...>',
    'transmission.retry',
    (instanceIds: string[]) => ({ instanceIds }),
    (retried, config) => {
      for (const { accountRegNo, integrationId, instanceId } of retried)
        transmission.tell(config, {}, `${accountRegNo} ${integrationId} is tried again as ${instanceId}.`);
    },
  );
};

const MOMENT = /At$/;

function factsOf({ statuses, answers, ...transmission }: AnswerOf<'transmission.show'>): Fact[] {
  const facts = Object.entries(transmission).map(
    ([name, value]): Fact => [name, MOMENT.test(name) ? { at: value === null ? null : String(value) } : value],
  );
  const told = statuses.map(({ status, at, reason }): Fact => ['status', [{ at }, { state: status }, reason]]);
  const responded = answers.flatMap(({ kind, code, text, at, findings }): Fact[] => [
    ['answer', [{ at }, `${kind} ${code}`, text]],
    ...findings.map((finding): Fact => ['finding', [finding.rule, finding.path ?? '', finding.message]]),
  ]);
  return [...facts, ...told, ...responded];
}
