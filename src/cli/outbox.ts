// `dropgate outbox`, `redeliver` and `mark-unread`: what waits to be picked up, what could not be published, publishing a document once more,
// and having it handed out again to others.
import { counted } from '#domain/amounts.ts';
import { visibleLines } from '#domain/visible.ts';
import { readAccounts } from '#gateway/ledger/accounts.ts';
import { readStuck } from '#gateway/ledger/quarantine.ts';
import { listOutbox } from '#gateway/publish/outbox.ts';
import { askAgain, askUnread } from '#gateway/receive/redeliver.ts';
import {
  type AddCommand,
  type ConfigOptions,
  configOf,
  configured,
  isoTime,
  type JsonOptions,
  printJson,
  tellDone,
  tellIfNone,
} from './command.ts';
import { gatewayOf, withLedgers } from './ledgers.ts';

interface OutboxOptions extends JsonOptions {
  readonly account?: string;
}

export const addOutbox: AddCommand = (parent, terminal) => {
  configured(parent, 'outbox', 'show what lies in outboxes, and documents that could not be put there')
    .option('--account <accountRegNo>', 'only those of one account')
    .option('--json', 'print one JSON object per line')
    .action(async (options: OutboxOptions) => {
      const { config } = configOf(options);
      const { homes, stuck } = await withLedgers(config, async (ledgers) => {
        const { data, ledger } = gatewayOf(ledgers);
        const accounts = (await readAccounts(ledger.read)).filter((each) => isAsked(each.accountRegNo, options));
        const names = [...new Set(accounts.map(({ home }) => home))];
        const waiting = await Promise.all(names.map(async (home) => ({ home, waiting: await listOutbox(data, home) })));
        return { homes: waiting.filter((each) => each.waiting.length > 0), stuck: await readStuck(ledger.read, options.account) };
      });
      tellIfNone(terminal, [...homes, ...stuck], 'documents to fetch', config);
      for (const { home, waiting } of homes) {
        const [oldest] = waiting;
        if (!oldest) continue;
        const facts = { home, documents: waiting.length, since: isoTime(oldest.sinceMs) };
        if (options.json) printJson(terminal, facts);
        else terminal.print([home, counted(waiting.length, 'document'), `the oldest since ${facts.since}`].join('\t'));
      }
      for (const { accountRegNo, family, integrationId, since, tries, reason } of stuck) {
        const facts = { accountRegNo, family, integrationId, stuckSince: isoTime(since), tries, reason };
        if (options.json) printJson(terminal, facts);
        else {
          const told = `stuck since ${facts.stuckSince}, tried ${counted(tries, 'time')}`;
          terminal.print(visibleLines([accountRegNo, `${family} ${integrationId}`, told, reason].join('\t')));
        }
      }
    });
};

export const addRedeliver: AddCommand = (parent, terminal) => {
  configured(parent, 'redeliver <integrationId>', 'put a received document into the outbox once more').action(
    async (id: string, options: ConfigOptions) => {
      const { config } = configOf(options);
      const { accountRegNo, family, integrationId } = await withLedgers(config, (ledgers) => {
        const { ledger, clock } = gatewayOf(ledgers);
        return askAgain(ledger, id, clock.now());
      });
      tellDone(
        terminal,
        config,
        `${family} ${integrationId} will be put into the outbox of ${accountRegNo} once more, as soon as the daemon runs.`,
      );
    },
  );
};

export const addMarkUnread: AddCommand = (parent, terminal) => {
  configured(
    parent,
    'mark-unread <integrationId>',
    'have the service hand a received document out as unread again, to others that read them',
  ).action(async (id: string, options: ConfigOptions) => {
    const { config } = configOf(options);
    const { family, integrationId } = await withLedgers(config, (ledgers) => askUnread(gatewayOf(ledgers).ledger, id));
    tellDone(terminal, config, `The running daemon has ${family} ${integrationId} marked unread; its log tells when it is done.`);
  });
};

function isAsked(accountRegNo: string, { account }: OutboxOptions): boolean {
  return account === undefined || account === accountRegNo;
}
