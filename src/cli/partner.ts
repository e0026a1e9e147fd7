// `dropgate partner`: accounts that may act for others, and the accounts that each may act for.
import type { Command } from 'commander';
import type { PartnerLimits } from '#core/ledger/partners.ts';
import { updateCorePartner } from '#core/operate/administration.ts';
import { counted } from '#domain/amounts.ts';
import { AppError } from '#domain/error.ts';
import { putPartner } from '#gateway/operate/partners.ts';
import { coreOf, gatewayOf, type Ledgers } from '#operations/installation.ts';
import { loginHere, partnerHere } from '#operations/known.ts';
import { createPartner, ensurePartner, linkAccount, rotateKeyOf, unlinkAccount } from '#operations/partnership.ts';
import type { AnswerOf } from '#operations/table.ts';
import { tellDoubts } from './address-doubts.ts';
import type { AddCommand, Commands, Fact } from './commands.ts';
import { readCredentials, shownOnce } from './credentials.ts';
import { withLedgers, withLedgersAudited } from './ledgers.ts';
import { collect, configOf, countOf } from './options.ts';
import { addRotateKey, checkNewHolder, type NewHolderOptions, withHolder } from './service-key.ts';

export const addPartnerCommands: AddCommand = (commands) => {
  const partner = commands.group('partner');
  addAdd(partner);
  addLink(partner);
  addUnlink(partner);
  addActs(partner);
  addSet(partner);
  addLooks(partner);
  addRotateKey(partner, 'partner', rotate);
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

interface AddOptions extends NewHolderOptions, LimitOptions {
  readonly consolidated?: boolean;
}

function addAdd(partner: Commands): void {
  const login = 'the SFTP login that sees its children; it is made when it is not there';
  const command = withLimits(partner.configured('add <partnerRegNo>', 'add a partner; its API key is shown once'));
  withHolder(command, login, 'a partner of the remote service that service.url names')
    .option('--consolidated', 'one home for all its children: one inbox, in which the sender of a document tells whose it is')
    .action((partnerRegNo: string, options: AddOptions) => add(partner, partnerRegNo, options));
}

async function add(commands: Commands, partnerRegNo: string, options: AddOptions): Promise<void> {
  const { terminal } = commands;
  const { config } = configOf(options, 'file or ledgers');
  const { name = partnerRegNo, login = null, consolidated = false, remote = false } = options;
  const limits = limitsOf(options);
  checkNewHolder('partner', options, config.role, [
    [remote && limits !== undefined, 'The limits of a remote partner are kept by its service: leave them out.'],
    [!remote && options.name === undefined, 'Give --name, the name of the company.'],
  ]);
  const serviceKey = remote ? await terminal.readSecret('API key') : null;
  const isThere = login !== null && (await withLedgers(config, (ledgers) => loginHere({ gateway: gatewayOf(ledgers) }, login)));
  const credentials = login !== null && !isThere ? await readCredentials(options, terminal) : null;
  const generated = credentials?.generated ?? null;
  const apiKey = await withLedgersAudited(config, { what: 'partner add', given: { partnerRegNo, ...options } }, async (ledgers) => {
    const made = await createPartner(ledgers, { partnerRegNo, name, consolidated, login, credentials, serviceKey });
    if (limits) await updateCorePartner(coreOf(ledgers), partnerRegNo, limits);
    return made;
  });
  const shown = {
    ...(apiKey !== null && { apiKey }),
    ...(login !== null && { login }),
    ...(generated !== null && { password: generated }),
  };
  commands.tell(config, options, {
    facts: { partnerRegNo, ...shown },
    done: `Partner ${partnerRegNo} was added.`,
    more: shownOnce(apiKey, login ?? undefined, generated),
  });
}

interface LinkOptions {
  readonly login?: string;
  readonly folder?: string;
  readonly participant: readonly string[];
}

function addLink(partner: Commands): void {
  const does = "let a partner act for an account, and its login see the account's home";
  partner
    .change('link <partnerRegNo> <accountRegNo>', does, async (on, partnerRegNo: string, accountRegNo: string, options: LinkOptions) => {
      const { login, folder, participant: participants } = options;
      tellDoubts(partner.terminal, participants);
      const linked = await linkAccount(on, {
        partnerRegNo,
        accountRegNo,
        ...(login !== undefined && { login }),
        ...(folder !== undefined && { folder }),
        ...(participants.length > 0 && { participants }),
      });
      const { login: seeing, held } = linked ?? { login: null, held: 0 };
      return {
        done: `Partner ${partnerRegNo} may act for ${accountRegNo}${seeing == null ? '' : `, and login ${seeing} sees its home`}.`,
        more: [
          held > 0 &&
            `${counted(held, 'file of it is', 'files of it are')} held; 'dropgate items --account ${accountRegNo} --state held' tells which, 'dropgate resend --account ${accountRegNo}' sends all.`,
        ],
      };
    })
    .option('--login <login>', "the partner's SFTP login; without it the one that it was added with, or that is named like it")
    .option('--folder <name>', "name of the account's folder in that login, for good; without it the accountRegNo")
    .option(
      '--participant <scheme:value>',
      'an address that the account sends from, such as 0007:5567321707; may be repeated. An account of the core here has its own',
      collect,
      [],
    );
}

function addUnlink(partner: Commands): void {
  const does = 'a partner may act for an account no more; its tokens for it end at once';
  partner
    .change(
      'unlink <partnerRegNo> <accountRegNo>',
      does,
      async (on, partnerRegNo: string, accountRegNo: string, given: Pick<LinkOptions, 'login'>) => {
        const { login, waiting } = await unlinkAccount(on, partnerRegNo, accountRegNo, given.login);
        const hidden = login === null ? '' : `, and login ${login} no longer sees its home`;
        return {
          done: `Partner ${partnerRegNo} may act for ${accountRegNo} no more${hidden}.`,
          more: [
            waiting > 0 &&
              `${counted(waiting, 'file of it waits', 'files of it wait')}: held soon, with receipts, until it is linked again and they are sent again.`,
          ],
        };
      },
    )
    .option('--login <login>', "the partner's SFTP login, which then no longer sees the account's home; without it the partner's own");
}

function addActs(partner: Commands): void {
  const told = (how: string) => partner.outcome(({ partnerRegNo }: { partnerRegNo: string }) => `Partner ${partnerRegNo} is ${how}.`);
  partner.asks('disable <partnerRegNo>', 'partner.disable', input, told('disabled'));
  partner.asks('enable <partnerRegNo>', 'partner.enable', input, told('enabled'));
  const removed = ({ partnerRegNo, login, waiting }: AnswerOf<'partner.remove'>) => ({
    done: `Partner ${partnerRegNo} was removed.`,
    more: [
      waiting > 0 &&
        `${counted(waiting, 'file of its children waits', 'files of its children wait')}: held soon, with receipts, until a link lets them go on.`,
      login !== null && `Login ${login} is still there; 'dropgate login remove ${login}' removes it.`,
    ],
  });
  partner.asks('remove <partnerRegNo>', 'partner.remove', input, partner.outcome(removed));
}

const input = (partnerRegNo: string) => ({ partnerRegNo });

function addLooks(partner: Commands): void {
  const table = partner.table<AnswerOf<'partner.list'>[number]>('partners', {
    partner: ({ partnerRegNo }) => partnerRegNo,
    name: ({ name }) => name,
    accounts: ({ accounts }) => accounts.join(','),
  });
  partner.asks('list', 'partner.list', () => ({}), table);
  partner.asks('show <partnerRegNo>', 'partner.show', input, partner.facts(factsOf));
  const children = partner.table<AnswerOf<'partner.children'>[number]>('children of it', {
    account: ({ accountRegNo }) => accountRegNo,
    folder: ({ folder }) => folder,
    state: ({ state }) => ({ state }),
    addresses: ({ participants }) => participants.join(','),
  });
  partner.asks('children <partnerRegNo>', 'partner.children', input, children);
}

function factsOf({ accounts, children, ...partner }: AnswerOf<'partner.show'>): Fact[] {
  return [
    ['partner', partner.partnerRegNo],
    ['name', partner.name],
    ['state', partner.enabled === null ? null : { state: partner.enabled ? 'active' : 'disabled' }],
    ['login', partner.login],
    ['one home for all', partner.consolidated ? 'yes' : null],
    ['requests', partner.requestsMax],
    ['children at most', partner.childrenMax],
    ['may act for', accounts.join(', ')],
    ...children.map(
      ({ accountRegNo, folder, state, participants }): Fact => ['child', [accountRegNo, folder, { state }, participants.join(', ')]],
    ),
  ];
}

function addSet(partner: Commands): void {
  const does = "change a partner's name, its limits, or the login that sees its children";
  const command = partner
    .change('set <partnerRegNo>', does, async (on, partnerRegNo: string, options: LimitOptions & { name?: string; login?: string }) => {
      const { name, login } = options;
      const limits = limitsOf(options);
      if (name === undefined && login === undefined && !limits) {
        throw new AppError('usage', 'Give --name, --login, --requests or --children-max.');
      }
      if (name !== undefined || limits) await updateCorePartner(coreOf(on), partnerRegNo, { ...(name && { name }), ...limits });
      if (login !== undefined) await ensurePartner(on, { partnerRegNo, login });
      return `Partner ${partnerRegNo} was changed.`;
    })
    .option('--name <name>', 'name of the company; of a partner of the core here')
    .option('--login <login>', 'the SFTP login that sees the children linked from now on; one that is there');
  withLimits(command);
}

async function rotate(on: Ledgers, partnerRegNo: string, serviceKey: string | null, graceMs: number): Promise<string | null> {
  if (serviceKey === null) return rotateKeyOf(on, partnerRegNo, graceMs);
  if (!(await partnerHere({ gateway: gatewayOf(on) }, partnerRegNo)))
    throw new AppError('missing', `Partner ${partnerRegNo} is not known on this gateway; 'dropgate partner list' shows all.`);
  await putPartner(gatewayOf(on), { partnerRegNo, serviceKey });
  return null;
}
