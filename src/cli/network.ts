// `dropgate network`: documents from the network that were turned away before their senders were told that they had been accepted.
import { writeFileSync } from 'node:fs';
import { type AnswerOf, sentenceOf } from '#operations/table.ts';
import { ask } from './ask.ts';
import type { AddCommand, Commands, Fact } from './commands.ts';
import { addCheck } from './network-check.ts';
import { configOf, type JsonOptions } from './options.ts';

type TurnedAway = AnswerOf<'network.turned-away'>[number];

export const addNetworkCommands: AddCommand = (commands) => {
  const network = commands.group('network');
  const table = network.table<TurnedAway>('documents that were turned away', {
    'turned away': ({ turnedAwayAt }) => ({ at: turnedAwayAt }),
    envelope: ({ instanceId }) => instanceId,
    account: ({ accountRegNo }) => accountRegNo,
    document: documentOf,
    sender: ({ sender }) => ({ people: sender, programs: `from ${sender}` }),
    findings: ({ findings: { length } }) => ({ people: length, programs: `${length} findings` }),
  });
  network
    .asks(
      'turned-away',
      'network.turned-away',
      ({ account }: { readonly account?: string }) => (account === undefined ? {} : { accountRegNo: account }),
      table,
    )
    .option('--account <accountRegNo>', 'those of one account');
  addShow(network);
  addCheck(network);
};

interface ShowOptions extends JsonOptions {
  readonly write?: string;
}

/** Its own action, for the document is asked for only where it is written. */
function addShow(network: Commands): void {
  const say = network.facts(factsOf);
  const { terminal } = network;
  network
    .configured('show <instanceId>', sentenceOf('network.show'))
    .option('--write <file>', 'write the document to a file that is not there yet')
    .option('--json', 'print the answer as JSON, without the document')
    .action(async (instanceId: string, { write, ...options }: ShowOptions) => {
      const { config } = configOf(options);
      const shown = await ask(config, 'network.show', { instanceId }, terminal);
      network.answer(shown, options, () => say(shown, config));
      if (write === undefined) return;
      const { document } = await ask(config, 'network.document', { instanceId }, terminal);
      writeFileSync(write, document, { encoding: 'base64', flag: 'wx', mode: 0o600 });
    });
}

function factsOf({ findings, ...found }: TurnedAway): Fact[] {
  return [
    ['envelope', found.instanceId],
    ['turned away', { at: found.turnedAwayAt }],
    ['account', found.accountRegNo],
    ['document', documentOf(found)],
    ['sender', found.sender],
    ['receiver', found.receiver],
    ['sha256', found.sha256],
    ...findings.map(({ severity, rule, path = '', message }): Fact => ['finding', [severity, rule, path, message]]),
  ];
}

function documentOf({ family, documentId }: Pick<TurnedAway, 'family' | 'documentId'>): string {
  return [family, documentId].filter(Boolean).join(' ');
}
