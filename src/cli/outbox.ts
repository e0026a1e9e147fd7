// `dropgate outbox`, `redeliver` and `mark-unread`: what waits to be picked up, what could not be published, publishing a document once more,
// and having it handed out again to others.

import { counted } from '#domain/amounts.ts';
import { isoTime } from '#domain/day.ts';
import { readAccounts } from '#gateway/ledger/accounts.ts';
import { readQuarantined } from '#gateway/ledger/quarantine.ts';
import { listOutbox } from '#gateway/publish/outbox.ts';
import { askAgain, askUnread } from '#gateway/receive/redeliver.ts';
import type { AddCommand } from './commands.ts';
import { gatewayOf, type Ledgers } from './ledgers.ts';

/** What is listed: a home whose outbox holds documents, or a document that could not be put there. */
interface Listed {
  readonly facts: object;
  readonly line: readonly string[];
}

export const addOutbox: AddCommand = (commands) => {
  const listing = { what: 'documents to fetch', line: ({ line }: Listed) => line, facts: ({ facts }: Listed) => facts };
  commands
    .list('outbox', 'show what lies in outboxes, and documents that could not be put there', listing, listed)
    .option('--account <accountRegNo>', 'only those of one account');
};

async function listed(on: Ledgers, { account }: { readonly account?: string }): Promise<Listed[]> {
  const { data, ledger } = gatewayOf(on);
  const accounts = (await readAccounts(ledger.read)).filter(({ accountRegNo }) => account === undefined || account === accountRegNo);
  const names = [...new Set(accounts.map(({ home }) => home))];
  const waiting = await Promise.all(names.map(async (home) => ({ home, documents: await listOutbox(data, home) })));
  const quarantined = await readQuarantined(ledger.read, account);
  return [...waiting.flatMap(({ home, documents }) => waitingIn(home, documents)), ...quarantined.map(quarantinedOne)];
}

function waitingIn(home: string, documents: Awaited<ReturnType<typeof listOutbox>>): Listed[] {
  const [oldest] = documents;
  if (!oldest) return [];
  const since = isoTime(oldest.sinceMs);
  const count = documents.length;
  return [{ facts: { home, documents: count, since }, line: [home, counted(count, 'document'), `the oldest since ${since}`] }];
}

function quarantinedOne({
  accountRegNo,
  family,
  integrationId,
  since,
  tries,
  reason,
}: Awaited<ReturnType<typeof readQuarantined>>[number]): Listed {
  const stuckSince = isoTime(since);
  const told = `stuck since ${stuckSince}, tried ${counted(tries, 'time')}`;
  const facts = { accountRegNo, family, integrationId, stuckSince, tries, reason };
  return { facts, line: [accountRegNo, `${family} ${integrationId}`, told, reason] };
}

export const addRedeliver: AddCommand = (commands) => {
  commands.change('redeliver <integrationId>', 'put a received document into the outbox once more', async (on, id: string) => {
    const { ledger, clock } = gatewayOf(on);
    const { accountRegNo, family, integrationId } = await askAgain(ledger, id, clock.now());
    return `${family} ${integrationId} will be put into the outbox of ${accountRegNo} once more, as soon as the daemon runs.`;
  });
};

export const addMarkUnread: AddCommand = (commands) => {
  const does = 'have the service hand a received document out as unread again, to others that read them';
  commands.change('mark-unread <integrationId>', does, async (on, id: string) => {
    const { family, integrationId } = await askUnread(gatewayOf(on).ledger, id);
    return `The running daemon has ${family} ${integrationId} marked unread; its log tells when it is done.`;
  });
};
