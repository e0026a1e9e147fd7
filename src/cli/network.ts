// `dropgate network`: documents from the network that were turned away before their senders were told that they had been accepted.
import { writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { findTurnedAway, selectTurnedAway, type TurnedAway } from '#core/ledger/turned-away.ts';
import { findingsIn } from '#domain/document.ts';
import { AppError } from '#domain/error.ts';
import { type AddCommand, configOf, configured, type JsonOptions, printJson, tellIfNone } from './command.ts';
import { coreOf, withLedgers } from './ledgers.ts';
import { addCheck } from './network-check.ts';
import type { Terminal } from './terminal.ts';

const LISTED_MAX = 10_000;

export const addNetworkCommands: AddCommand = (parent, terminal, end) => {
  const network = parent.command('network').description('what the network brings, and how it finds the participants of accounts');
  addList(network, terminal);
  addShow(network, terminal);
  addCheck(network, terminal, end);
};

interface ListOptions extends JsonOptions {
  readonly account?: string;
}

function addList(network: Command, terminal: Terminal): void {
  configured(network, 'turned-away', `list documents that were turned away for what they break, the latest first; ${LISTED_MAX} at most`)
    .option('--account <accountRegNo>', 'those of one account')
    .option('--json', 'print one JSON object per line')
    .action(async ({ account, ...options }: ListOptions) => {
      const { config } = configOf(options);
      const found = await withLedgers(config, (ledgers) => selectTurnedAway(coreOf(ledgers).ledger.read, account ?? null, LISTED_MAX));
      tellIfNone(terminal, found, 'documents that were turned away', config);
      for (const each of found) {
        if (options.json) printJson(terminal, told(each));
        else terminal.print(lineOf(each));
      }
    });
}

interface ShowOptions extends JsonOptions {
  readonly write?: string;
}

function addShow(network: Command, terminal: Terminal): void {
  configured(network, 'show <instanceId>', 'show a document that was turned away, with all that was found in it')
    .option('--write <file>', 'write the document to a file that is not there yet')
    .option('--json', 'print it as one JSON object')
    .action(async (instanceId: string, { write, ...options }: ShowOptions) => {
      const { config } = configOf(options);
      const found = await withLedgers(config, (ledgers) => findTurnedAway(coreOf(ledgers).ledger.read, instanceId));
      if (!found) throw new AppError('missing', `No document was turned away in the envelope ${instanceId}.`);
      const { document, ...rest } = found;
      if (options.json) printJson(terminal, told(rest));
      else {
        terminal.print(lineOf(rest));
        for (const { severity, rule, message, path } of findingsIn(JSON.parse(rest.findings))) {
          terminal.print([severity, rule, path ?? '', message].join('\t'));
        }
      }
      if (write === undefined) return;
      if (!document) throw new AppError('missing', 'The document itself is not kept any more: ask its sender for it.');
      writeFileSync(write, document, { flag: 'wx', mode: 0o600 });
    });
}

function told({ turnedAwayAt, findings, ...rest }: TurnedAway): object {
  return { ...rest, turnedAwayAt: new Date(turnedAwayAt).toISOString(), findings: findingsIn(JSON.parse(findings)) };
}

function lineOf({ turnedAwayAt, instanceId, accountRegNo, sender, family, documentId, findings }: TurnedAway): string {
  const count = findingsIn(JSON.parse(findings)).length;
  const what = [family, documentId].filter(Boolean).join(' ');
  return [new Date(turnedAwayAt).toISOString(), instanceId, accountRegNo, what, `from ${sender}`, `${count} findings`].join('\t');
}
