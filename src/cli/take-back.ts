// `dropgate account take-back`: an account that partners had, or a number that one has reserved, is the administrator's again.
import { takeBack as takeBackInCore } from '#core/operate/administration.ts';
import { putAccount } from '#gateway/operate/accounts.ts';
import { listPartners, unlinkChild } from '#gateway/operate/partners.ts';
import { coreOf, type Ledgers } from '#operations/installation.ts';
import { accountHere } from '#operations/known.ts';
import type { Commands } from './commands.ts';

export function addTakeBack(account: Commands): void {
  const does =
    'take an account, or a number that was reserved, back from the partners that act for it: links, keys, tokens and webhooks end at once';
  account
    .change('take-back <accountRegNo>', does, async (on, accountRegNo: string) => {
      const { apiKey, waiting } = await takeBack(on, accountRegNo);
      return {
        facts: { accountRegNo, apiKey },
        done: `No partner may act for ${accountRegNo} any more; its documents, addresses and files stay.`,
        more: [
          `New API key, shown once: ${apiKey}`,
          waiting > 0 && `Files of it that wait are held, with receipts: 'dropgate items --account ${accountRegNo}' shows them.`,
        ],
      };
    })
    .option('--json', 'print one JSON object');
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
  if ((await accountHere(ledgers, accountRegNo))?.ownKey) await putAccount(gateway, accountRegNo, gatewayKey);
  return { apiKey, waiting };
}
