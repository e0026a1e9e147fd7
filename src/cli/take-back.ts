// `dropgate account take-back`: an account that partners had, or a number that one has reserved, is the administrator's again.
import type { Command } from 'commander';
import { takeBack as takeBackInCore } from '#core/operate/administration.ts';
import { listAccountsHere } from '#gateway/operate/account-rules.ts';
import { putAccount } from '#gateway/operate/accounts.ts';
import { listPartners, unlinkChild } from '#gateway/operate/partners.ts';
import { configOf, configured, type JsonOptions, printJson, tellDone } from './command.ts';
import { coreOf, type Ledgers, withLedgers } from './ledgers.ts';
import type { Terminal } from './terminal.ts';

export function addTakeBack(account: Command, terminal: Terminal): void {
  configured(
    account,
    'take-back <accountRegNo>',
    'take an account, or a number that was reserved, back from the partners that act for it: links, keys, tokens and webhooks end at once',
  )
    .option('--json', 'print one JSON object')
    .action(async (accountRegNo: string, options: JsonOptions) => {
      const { config } = configOf(options);
      const { apiKey, waiting } = await withLedgers(config, (ledgers) => takeBack(ledgers, accountRegNo));
      if (options.json) return printJson(terminal, { accountRegNo, apiKey });
      tellDone(terminal, config, `No partner may act for ${accountRegNo} any more; its documents, addresses and files stay.`);
      terminal.print(`New API key, shown once: ${apiKey}`);
      if (waiting > 0)
        terminal.print(`Files of it that wait are held, with receipts: 'dropgate items --account ${accountRegNo}' shows them.`);
    });
}

/** The core first: from then on partners can do nothing with the account. Repeated, it goes on where it was stopped. Throws `missing`. */
async function takeBack(ledgers: Ledgers, accountRegNo: string): Promise<{ apiKey: string; waiting: number }> {
  const { apiKey, gatewayKey } = await takeBackInCore(coreOf(ledgers), accountRegNo);
  const { gateway } = ledgers;
  let waiting = 0;
  if (!gateway) return { apiKey, waiting };
  for (const { partnerRegNo, login, children } of await listPartners(gateway)) {
    const isChild = children.some((child) => child.accountRegNo === accountRegNo && child.state !== 'unlinked');
    if (isChild) waiting += (await unlinkChild(gateway, partnerRegNo, accountRegNo, login ?? partnerRegNo)).waiting;
  }
  const here = (await listAccountsHere(gateway)).find((each) => each.accountRegNo === accountRegNo);
  if (here?.ownKey) await putAccount(gateway, accountRegNo, gatewayKey);
  return { apiKey, waiting };
}
