// `dropgate partner`: accounts that may act for others, and the accounts that each may act for.
import { addPartner, linkPartner, listPartners, rotatePartnerKey, unlinkPartner } from '#core/administration.ts';
import { addLoginHome, listLogins, removeLoginHome } from '#gateway/administration.ts';
import { type AddCommand, type ConfigOptions, configOf, configured, durationOf, type JsonOptions, printJson } from './command.ts';
import { coreOf, gatewayOf, type Ledgers, withLedgers } from './ledgers.ts';

export const addPartnerCommands: AddCommand = (parent, terminal) => {
  const partner = parent.command('partner').description('partners: accounting firms and vendors who act for accounts');

  configured(partner, 'add <partnerRegNo>', 'add a partner; its API key is shown once')
    .requiredOption('--name <name>', 'name of the company')
    .option('--json', 'print one JSON object')
    .action(async (partnerRegNo: string, options: JsonOptions & { readonly name: string }) => {
      const { name } = options;
      const { apiKey } = await withLedgers(configOf(options).config, (ledgers) => addPartner(coreOf(ledgers), { partnerRegNo, name }));
      if (options.json) printJson(terminal, { partnerRegNo, apiKey });
      else terminal.print(`Partner ${partnerRegNo} was added.\nAPI key, shown once: ${apiKey}`);
    });

  configured(partner, 'link <partnerRegNo> <accountRegNo>', "let a partner act for an account, and its login see the account's home")
    .option('--login <login>', "the partner's SFTP login; without it the one that is named like the partner, if there is one")
    .option('--folder <name>', "name of the account's folder in that login; without it the accountRegNo")
    .action(async (partnerRegNo: string, accountRegNo: string, options: LinkOptions) => {
      const seenBy = await withLedgers(configOf(options).config, (ledgers) => link(ledgers, partnerRegNo, accountRegNo, options));
      terminal.print(`Partner ${partnerRegNo} may act for ${accountRegNo}${seenBy === null ? '' : `, and login ${seenBy} sees its home`}.`);
    });

  configured(partner, 'unlink <partnerRegNo> <accountRegNo>', 'a partner may act for an account no more; its tokens for it end at once')
    .option('--login <login>', "the partner's SFTP login, which then no longer sees the account's home; without it the one named like it")
    .action(async (partnerRegNo: string, accountRegNo: string, { login = partnerRegNo, ...options }: LinkOptions) => {
      const hidden = await withLedgers(configOf(options).config, async (ledgers) => {
        await unlinkPartner(coreOf(ledgers), partnerRegNo, accountRegNo);
        return ledgers.gateway !== null && (await removeLoginHome(ledgers.gateway, login, accountRegNo));
      });
      terminal.print(
        `Partner ${partnerRegNo} may act for ${accountRegNo} no more${hidden ? `, and login ${login} no longer sees its home` : ''}.`,
      );
    });

  configured(partner, 'list', 'list the partners, and the accounts that each may act for')
    .option('--json', 'print one JSON object per line')
    .action(async (options: JsonOptions) => {
      for (const each of await withLedgers(configOf(options).config, (ledgers) => listPartners(coreOf(ledgers)))) {
        if (options.json) printJson(terminal, each);
        else terminal.print([each.partnerRegNo, each.name, each.accounts.join(',')].join('\t'));
      }
    });

  configured(partner, 'rotate-key <partnerRegNo>', 'make a new API key, shown once')
    .option('--grace <duration>', 'how long the old key stays valid', '24h')
    .option('--json', 'print one JSON object')
    .action(async (partnerRegNo: string, options: JsonOptions & { readonly grace: string }) => {
      const graceMs = durationOf('--grace', options.grace, '0s', '90d');
      const apiKey = await withLedgers(configOf(options).config, (ledgers) => rotatePartnerKey(coreOf(ledgers), partnerRegNo, graceMs));
      if (options.json) printJson(terminal, { partnerRegNo, apiKey });
      else terminal.print(`New API key, shown once: ${apiKey}`);
    });
};

interface LinkOptions extends ConfigOptions {
  readonly login?: string;
  readonly folder?: string;
}

/** Returns the login that now sees the account; null when the partner uses the API only. */
async function link(ledgers: Ledgers, partnerRegNo: string, accountRegNo: string, { login, folder }: LinkOptions): Promise<string | null> {
  await linkPartner(coreOf(ledgers), partnerRegNo, accountRegNo);
  const isAsked = login !== undefined || folder !== undefined;
  const name = login ?? partnerRegNo;
  const isThere = ledgers.gateway !== null && (await listLogins(ledgers.gateway)).some((each) => each.login === name);
  if (!isAsked && !isThere) return null;
  await addLoginHome(gatewayOf(ledgers), name, accountRegNo, folder ?? accountRegNo);
  return name;
}
