// `dropgate partner`: accounts that may act for others, and the accounts that each may act for.

import type { Command } from 'commander';
import type { PartnerLimits } from '#core/ledger/partners.ts';
import { listPartners as partnersOfCore, updateCorePartner } from '#core/operate/administration.ts';
import { counted } from '#domain/amounts.ts';
import { AppError } from '#domain/error.ts';
import { type Child, listPartners, putPartner } from '#gateway/operate/partners.ts';
import { tellDoubts } from './address-doubts.ts';
import {
  type AddCommand,
  type ConfigOptions,
  collect,
  configOf,
  configured,
  countOf,
  durationOf,
  type JsonOptions,
  printJson,
  tellDone,
  tellIfNone,
} from './command.ts';
import { type CredentialOptions, readCredentials } from './credentials.ts';
import { coreOf, gatewayOf, type Ledgers, withLedgers } from './ledgers.ts';
import { createPartner, ensurePartner, hasLogin, linkAccount, removePartnership, rotateKeyOf, unlinkAccount } from './partnership.ts';
import type { Terminal } from './terminal.ts';

export const addPartnerCommands: AddCommand = (parent, terminal) => {
  const partner = parent.command('partner').description('partners: accounting firms and vendors who act for accounts');
  addAdd(partner, terminal);
  addLink(partner, terminal);
  addUnlink(partner, terminal);
  addSwitch(partner, terminal, 'disable', 'it may do nothing and hears nothing, at once; nothing is deleted', false);
  addSwitch(partner, terminal, 'enable', 'it may act for its accounts again', true);
  addSet(partner, terminal);
  addRemove(partner, terminal);
  addLists(partner, terminal);
  addRotateKey(partner, terminal);
};

/** What a partner of the core here may have at the most. */
interface LimitOptions {
  readonly requests?: string;
  readonly childrenMax?: string;
}

function withLimits(command: Command): Command {
  return command
    .option('--requests <count>', "requests that all its tokens together may make in a window, or 'default': ten accounts' budgets")
    .option('--children-max <count>', "accounts that it may have before it can make no more, or 'default'");
}

/** Undefined when nothing is said about them. */
function limitsOf({ requests, childrenMax }: LimitOptions): Partial<PartnerLimits> | undefined {
  const [requestsMax, children] = [countOf('--requests', requests), countOf('--children-max', childrenMax)];
  if (requestsMax === undefined && children === undefined) return undefined;
  return { ...(requestsMax !== undefined && { requestsMax }), ...(children !== undefined && { childrenMax: children }) };
}

interface AddOptions extends JsonOptions, CredentialOptions, LimitOptions {
  readonly name?: string;
  readonly login?: string;
  readonly consolidated?: boolean;
  readonly remote?: boolean;
  readonly apiKeyStdin?: boolean;
}

function addAdd(partner: Command, terminal: Terminal): void {
  withLimits(configured(partner, 'add <partnerRegNo>', 'add a partner; its API key is shown once'))
    .option('--name <name>', 'name of the company')
    .option('--login <login>', 'the SFTP login that sees its children; it is made when it is not there')
    .option('--consolidated', 'one home for all its children: one inbox, in which the sender of a document tells whose it is')
    .option('--password-stdin', "take the login's password from standard input instead of making one up")
    .option('--public-key <file>', 'let the login in by this public key')
    .option('--remote', 'a partner of the remote service that service.url names')
    .option('--api-key-stdin', "take that service's API key from standard input")
    .option('--json', 'print one JSON object')
    .action((partnerRegNo: string, options: AddOptions) => add(partnerRegNo, options, terminal));
}

async function add(partnerRegNo: string, options: AddOptions, terminal: Terminal): Promise<void> {
  const { config } = configOf(options, 'file or ledgers');
  checkAddOptions(options, config.role);
  const { name = partnerRegNo, login = null, consolidated = false } = options;
  const serviceKey = options.remote ? await terminal.readSecret('API key') : null;
  const isThere = login !== null && (await withLedgers(config, (ledgers) => hasLogin(gatewayOf(ledgers), login)));
  const credentials = login !== null && !isThere ? await readCredentials(options, terminal) : null;
  const generated = credentials?.generated ?? null;
  const partner = { partnerRegNo, name, consolidated, login, credentials, serviceKey };
  const limits = limitsOf(options);
  const apiKey = await withLedgers(config, async (ledgers) => {
    const made = await createPartner(ledgers, partner);
    if (limits) await updateCorePartner(coreOf(ledgers), partnerRegNo, limits);
    return made;
  });
  if (options.json) {
    const shown = { ...(login !== null && { login }), ...(generated !== null && { password: generated }) };
    printJson(terminal, { partnerRegNo, ...(apiKey !== null && { apiKey }), ...shown });
    return;
  }
  tellDone(terminal, config, `Partner ${partnerRegNo} was added.`);
  if (apiKey !== null) terminal.print(`API key, shown once: ${apiKey}`);
  if (login !== null) terminal.print(`SFTP login: ${login}`);
  if (generated !== null) terminal.print(`Its password, shown once: ${generated}`);
}

/** Combinations that make no sense, each with its sentence. */
function checkAddOptions(options: AddOptions, role: string): void {
  const { name, login, remote, apiKeyStdin, passwordStdin, publicKey } = options;
  const wrong: readonly [boolean, string][] = [
    [role === 'gateway' && !remote, 'This gateway submits to a remote service: give --remote and --api-key-stdin.'],
    [role !== 'gateway' && remote === true, 'A partner of a remote service needs role gateway and service.url in the configuration.'],
    [remote === true && !apiKeyStdin, 'A partner of a remote service needs --api-key-stdin.'],
    [!remote && apiKeyStdin === true, 'The core makes the API key itself; --api-key-stdin belongs to --remote.'],
    [remote === true && limitsOf(options) !== undefined, 'The limits of a remote partner are kept by its service: leave them out.'],
    [!remote && name === undefined, 'Give --name, the name of the company.'],
    [apiKeyStdin === true && passwordStdin === true, 'Standard input holds one secret: set the password later, or use --public-key.'],
    [
      login === undefined && (passwordStdin === true || publicKey !== undefined),
      'A password or public key belongs to a login: give --login.',
    ],
  ];
  const sentence = wrong.find(([isWrong]) => isWrong)?.[1];
  if (sentence !== undefined) throw new AppError('usage', sentence);
}

interface LinkOptions extends ConfigOptions {
  readonly login?: string;
  readonly folder?: string;
  readonly participant: readonly string[];
}

function addLink(partner: Command, terminal: Terminal): void {
  configured(partner, 'link <partnerRegNo> <accountRegNo>', "let a partner act for an account, and its login see the account's home")
    .option('--login <login>', "the partner's SFTP login; without it the one that it was added with, or that is named like it")
    .option('--folder <name>', "name of the account's folder in that login, for good; without it the accountRegNo")
    .option(
      '--participant <scheme:value>',
      'an address that the account sends from, such as 0007:5567321707; may be repeated. An account of the core here has its own',
      collect,
      [],
    )
    .action(async (partnerRegNo: string, accountRegNo: string, { participant, login, folder, ...options }: LinkOptions) => {
      const child = {
        partnerRegNo,
        accountRegNo,
        ...(login !== undefined && { login }),
        ...(folder !== undefined && { folder }),
        ...(participant.length > 0 && { participants: participant }),
      };
      tellDoubts(terminal, child.participants ?? []);
      const { config } = configOf(options);
      const linked = await withLedgers(config, (ledgers) => linkAccount(ledgers, child));
      const seen = linked?.login == null ? '' : `, and login ${linked.login} sees its home`;
      tellDone(terminal, config, `Partner ${partnerRegNo} may act for ${accountRegNo}${seen}.`);
      if (linked && linked.held > 0) {
        terminal.print(
          `${counted(linked.held, 'file of it is', 'files of it are')} held; 'dropgate items --account ${accountRegNo} --state held' tells which, 'dropgate resend --account ${accountRegNo}' sends all.`,
        );
      }
    });
}

function addUnlink(partner: Command, terminal: Terminal): void {
  configured(partner, 'unlink <partnerRegNo> <accountRegNo>', 'a partner may act for an account no more; its tokens for it end at once')
    .option('--login <login>', "the partner's SFTP login, which then no longer sees the account's home; without it the partner's own")
    .action(async (partnerRegNo: string, accountRegNo: string, options: Omit<LinkOptions, 'participant'>) => {
      const { config } = configOf(options);
      const { login, waiting } = await withLedgers(config, (ledgers) => unlinkAccount(ledgers, partnerRegNo, accountRegNo, options.login));
      const hidden = login === null ? '' : `, and login ${login} no longer sees its home`;
      tellDone(terminal, config, `Partner ${partnerRegNo} may act for ${accountRegNo} no more${hidden}.`);
      if (waiting > 0)
        terminal.print(
          `${counted(waiting, 'file of it waits', 'files of it wait')}: held soon, with receipts, until it is linked again and they are sent again.`,
        );
    });
}

/** Of the core only: a remote service has its own. */
function addSwitch(partner: Command, terminal: Terminal, name: string, sentence: string, enabled: boolean): void {
  configured(partner, `${name} <partnerRegNo>`, sentence).action(async (partnerRegNo: string, options: ConfigOptions) => {
    const { config } = configOf(options);
    await withLedgers(config, (ledgers) => updateCorePartner(coreOf(ledgers), partnerRegNo, { enabled }));
    tellDone(terminal, config, `Partner ${partnerRegNo} is ${name}d.`);
  });
}

interface SetOptions extends ConfigOptions, LimitOptions {
  readonly name?: string;
  readonly login?: string;
}

function addSet(partner: Command, terminal: Terminal): void {
  withLimits(configured(partner, 'set <partnerRegNo>', "change a partner's name, its limits, or the login that sees its children"))
    .option('--name <name>', 'name of the company; of a partner of the core here')
    .option('--login <login>', 'the SFTP login that sees the children linked from now on; one that is there')
    .action(async (partnerRegNo: string, { name, login, ...options }: SetOptions) => {
      const limits = limitsOf(options);
      if (name === undefined && login === undefined && !limits) {
        throw new AppError('usage', 'Give --name, --login, --requests or --children-max.');
      }
      const { config } = configOf(options);
      await withLedgers(config, async (ledgers) => {
        if (name !== undefined || limits) await updateCorePartner(coreOf(ledgers), partnerRegNo, { ...(name && { name }), ...limits });
        if (login !== undefined) await ensurePartner(ledgers, { partnerRegNo, login });
      });
      tellDone(terminal, config, `Partner ${partnerRegNo} was changed.`);
    });
}

function addRemove(partner: Command, terminal: Terminal): void {
  configured(partner, 'remove <partnerRegNo>', 'unlink all its accounts and forget it; accounts, logins and files stay').action(
    async (partnerRegNo: string, options: ConfigOptions) => {
      const { config } = configOf(options);
      const { login, waiting } = await withLedgers(config, (ledgers) => removePartnership(ledgers, partnerRegNo));
      tellDone(terminal, config, `Partner ${partnerRegNo} was removed.`);
      if (waiting > 0)
        terminal.print(
          `${counted(waiting, 'file of its children waits', 'files of its children wait')}: held soon, with receipts, until a link lets them go on.`,
        );
      if (login !== null) terminal.print(`Login ${login} is still there; 'dropgate login remove ${login}' removes it.`);
    },
  );
}

function addLists(partner: Command, terminal: Terminal): void {
  configured(partner, 'list', 'list the partners, and the accounts that each may act for')
    .option('--json', 'print one JSON object per line')
    .action(async (options: JsonOptions) => {
      const { config } = configOf(options);
      const partners = await withLedgers(config, allPartners);
      tellIfNone(terminal, partners, 'partners', config);
      for (const each of partners) {
        if (options.json) printJson(terminal, each);
        else terminal.print([each.partnerRegNo, each.name, each.accounts.join(',')].join('\t'));
      }
    });
  configured(partner, 'children <partnerRegNo>', 'list the accounts that a partner acts for on this gateway: folder, state, addresses')
    .option('--json', 'print one JSON object per line')
    .action(async (partnerRegNo: string, options: JsonOptions) => {
      const { config } = configOf(options);
      const children = await withLedgers(config, (ledgers) => childrenOf(ledgers, partnerRegNo));
      tellIfNone(terminal, children, `children of ${partnerRegNo}`, config);
      for (const child of children) {
        if (options.json) printJson(terminal, child);
        else terminal.print([child.accountRegNo, child.folder, child.state, child.participants.join(',')].join('\t'));
      }
    });
}

interface ListedPartner {
  readonly partnerRegNo: string;
  readonly name: string;
  readonly accounts: readonly string[];
}

/** Of the core where there is one, otherwise those that this gateway knows. */
async function allPartners({ core, gateway }: Ledgers): Promise<ListedPartner[]> {
  if (core) return partnersOfCore(core);
  const here = gateway ? await listPartners(gateway) : [];
  return here.map(({ partnerRegNo, children }) => ({
    partnerRegNo,
    name: '',
    accounts: children.filter(({ state }) => state !== 'unlinked').map(({ accountRegNo }) => accountRegNo),
  }));
}

async function childrenOf(ledgers: Ledgers, partnerRegNo: string): Promise<readonly Child[]> {
  const known = (await listPartners(gatewayOf(ledgers))).find((each) => each.partnerRegNo === partnerRegNo);
  if (!known) throw new AppError('missing', `Partner ${partnerRegNo} is not known on this gateway; 'dropgate partner list' shows all.`);
  return known.children;
}

interface RotateOptions extends JsonOptions {
  readonly grace: string;
  readonly apiKeyStdin?: boolean;
}

function addRotateKey(partner: Command, terminal: Terminal): void {
  configured(partner, 'rotate-key <partnerRegNo>', 'make a new API key, shown once; the gateway takes its own new one by itself')
    .option('--grace <duration>', 'how long the old key stays valid', '24h')
    .option('--api-key-stdin', 'for a partner of a remote service: take its new key from standard input')
    .option('--json', 'print one JSON object')
    .action((partnerRegNo: string, options: RotateOptions) => rotate(partnerRegNo, options, terminal));
}

async function rotate(partnerRegNo: string, options: RotateOptions, terminal: Terminal): Promise<void> {
  const graceMs = durationOf('--grace', options.grace, '0s', '90d');
  const { config } = configOf(options);
  if ((config.role === 'gateway') !== (options.apiKeyStdin === true)) {
    throw new AppError('usage', 'Give --api-key-stdin for a partner of a remote service, and only for one.');
  }
  const serviceKey = options.apiKeyStdin ? await terminal.readSecret('API key') : null;
  const apiKey = await withLedgers(config, async (ledgers) => {
    if (serviceKey === null) return rotateKeyOf(ledgers, partnerRegNo, graceMs);
    await childrenOf(ledgers, partnerRegNo);
    await putPartner(gatewayOf(ledgers), { partnerRegNo, serviceKey });
    return null;
  });
  if (options.json) return printJson(terminal, { partnerRegNo, apiKey });
  tellDone(
    terminal,
    config,
    `${apiKey === null ? 'The gateway uses the new key of partner' : 'A new key was made for partner'} ${partnerRegNo}.`,
  );
  if (apiKey !== null) terminal.print(`New API key, shown once: ${apiKey}`);
}
