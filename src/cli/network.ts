// `dropgate network`: documents from the network that were turned away before their senders were told that they had been accepted.

import { writeFileSync } from 'node:fs';
import { findTurnedAway, selectTurnedAway, type TurnedAway } from '#core/ledger/turned-away.ts';
import { isoTime } from '#domain/day.ts';
import { findingsIn } from '#domain/document.ts';
import { AppError } from '#domain/error.ts';
import { coreOf, type Ledgers } from '#operations/installation.ts';
import type { AddCommand, Commands } from './commands.ts';
import { addCheck } from './network-check.ts';

const LISTED_MAX = 10_000;

export const addNetworkCommands: AddCommand = (commands) => {
  const network = commands.group('network');
  const listing = { what: 'documents that were turned away', line: lineOf, facts: told };
  const does = `list documents that were turned away for what they break, the latest first; ${LISTED_MAX} at most`;
  network
    .list('turned-away', does, listing, (on, { account }: { account?: string }) =>
      selectTurnedAway(coreOf(on).ledger.read, account ?? null, LISTED_MAX),
    )
    .option('--account <accountRegNo>', 'those of one account');
  addShow(network);
  addCheck(network);
};

interface ShowOptions {
  readonly write?: string;
}

function addShow(network: Commands): void {
  const does = 'show a document that was turned away, with all that was found in it';
  const find = async (on: Ledgers, instanceId: string, { write }: ShowOptions) => {
    const found = await findTurnedAway(coreOf(on).ledger.read, instanceId);
    if (!found) throw new AppError('missing', `No document was turned away in the envelope ${instanceId}.`);
    return { ...found, write };
  };
  network
    .onLedgers('show <instanceId>', does, find, ({ document, write, ...found }, { json }) => {
      if (json) network.printJson(told(found));
      else for (const line of linesOf(found)) network.terminal.print(line);
      if (write === undefined) return;
      if (!document) throw new AppError('missing', 'The document itself is not kept any more: ask its sender for it.');
      writeFileSync(write, document, { flag: 'wx', mode: 0o600 });
    })
    .option('--write <file>', 'write the document to a file that is not there yet')
    .option('--json', 'print it as one JSON object');
}

function told({ turnedAwayAt, findings, ...rest }: TurnedAway): object {
  return { ...rest, turnedAwayAt: isoTime(turnedAwayAt), findings: findingsIn(JSON.parse(findings)) };
}

function lineOf({ turnedAwayAt, instanceId, accountRegNo, sender, family, documentId, findings }: TurnedAway): string[] {
  const count = findingsIn(JSON.parse(findings)).length;
  const what = [family, documentId].filter(Boolean).join(' ');
  return [isoTime(turnedAwayAt), instanceId, accountRegNo, what, `from ${sender}`, `${count} findings`];
}

function linesOf(found: TurnedAway): string[] {
  const findings = findingsIn(JSON.parse(found.findings));
  return [lineOf(found), ...findings.map(({ severity, rule, message, path }) => [severity, rule, path ?? '', message])].map((words) =>
    words.join('\t'),
  );
}
