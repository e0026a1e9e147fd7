// `dropgate connections`: who did not get in lately, and why.
import { isoTime } from '#domain/day.ts';
import { AppError } from '#domain/error.ts';
import type { RejectRow } from '#gateway/ledger/rejects.ts';
import { listRejects } from '#gateway/operate/administration.ts';
import { gatewayOf, type Ledgers } from '#operations/installation.ts';
import type { AddCommand } from './commands.ts';

export const addConnections: AddCommand = (commands) => {
  const listing = { what: 'failed connections', line: lineOf, facts: factsOf };
  const read = async (on: Ledgers, { failed }: { readonly failed?: boolean }): Promise<RejectRow[]> => {
    if (!failed) throw new AppError('usage', 'Say which connections: --failed.');
    return listRejects(gatewayOf(on));
  };
  const json = 'print one JSON object per line, with the algorithms that the client offered';
  commands
    .list('connections', 'SFTP connections that came to nothing, and what would help', listing, read, json)
    .option('--failed', 'the last 1,000 that failed, one line for each address and login, the latest first');
};

function factsOf({ atMs, offer, ...reject }: RejectRow): object {
  return { at: isoTime(atMs), ...reject, offer: offer === null ? null : JSON.parse(offer) };
}

function lineOf({ atMs, times, address, login, client, explanation }: RejectRow): string[] {
  return [isoTime(atMs), `${times}×`, address, login || '-', client, explanation];
}
