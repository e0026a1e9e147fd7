// `dropgate partner`: accounts that may act for others, and the accounts that each may act for.
import type { Command } from 'commander';
import { counted } from '#domain/amounts.ts';
import type { AnswerOf, InputOf } from '#operations/table.ts';
import { tellDoubts } from './address-doubts.ts';
import type { AddCommand, Commands, Fact } from './commands.ts';
import { proofsIn, shownOnce } from './credentials.ts';
import { collect, countOf } from './options.ts';
import { holderKey, type NewHolderOptions, type RotateOptions, rotationIn, toldRotation, withHolder, withRotation } from './service-key.ts';

export const addPartnerCommands: AddCommand = (commands) => {
  const partner = commands.group('partner');
  addAdd(partner);
  addLink(partner);
  addUnlink(partner);
  addActs(partner);
  addSet(partner);
  addLooks(partner);
  addRotateKey(partner);
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

function limitsOf({ requests, childrenMax }: LimitOptions): InputOf<'partner.set'>['limits'] {
  const [requestsMax, children] = [countOf('--requests', requests), countOf('--children-max', childrenMax)];
  return { ...(requestsMax !== undefined && { requestsMax }), ...(children !== undefined && { childrenMax: children }) };
}

interface AddOptions extends NewHolderOptions, LimitOptions {
  readonly consolidated?: boolean;
}

function addAdd(partner: Commands): void {
  const login = 'the SFTP login that sees its children; it is made when it is not there';
  const command = partner.asks(
    'add <partnerRegNo>',
    'partner.add',
    newPartner,
    partner.outcome((answer) => ({ done: `Partner ${answer.partnerRegNo} was added.`, more: shownOnce(answer) })),
    { needs: 'file or ledgers' },
  );
  withHolder(withLimits(command), login, 'a partner of the remote service that service.url names').option(
    '--consolidated',
    'one home for all its children: one inbox, in which the sender of a document tells whose it is',
  );

  async function newPartner(partnerRegNo: string, options: AddOptions): Promise<InputOf<'partner.add'>> {
    const { name, login: named, consolidated = false } = options;
    return {
      partnerRegNo,
      consolidated,
      limits: limitsOf(options),
      ...(name !== undefined && { name }),
      ...(await holderKey('partner', options, partner.terminal)),
      ...(named !== undefined && { login: { login: named, ...(await proofsIn(options, partner.terminal)) } }),
    };
  }
}

interface LinkOptions {
  readonly login?: string;
  readonly folder?: string;
  readonly participant: readonly string[];
}

function addLink(partner: Commands): void {
  const input = async (partnerRegNo: string, accountRegNo: string, { login, folder, participant: participants }: LinkOptions) => {
    await tellDoubts(partner.terminal, participants);
    return {
      partnerRegNo,
      accountRegNo,
      ...(login !== undefined && { login }),
      ...(folder !== undefined && { folder }),
      ...(participants.length > 0 && { participants: [...participants] }),
    };
  };
  const told = ({ partnerRegNo, accountRegNo, login, held }: AnswerOf<'partner.link'>) => ({
    done: `Partner ${partnerRegNo} may act for ${accountRegNo}${login === null ? '' : `, and login ${login} sees its home`}.`,
    more: [
      held > 0 &&
        `${counted(held, 'file of it is', 'files of it are')} held; 'dropgate items --account ${accountRegNo} --state held' tells which, 'dropgate resend --account ${accountRegNo}' sends all.`,
    ],
  });
  partner
    .asks('link <partnerRegNo> <accountRegNo>', 'partner.link', input, partner.outcome(told))
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
  const input = (partnerRegNo: string, accountRegNo: string, { login }: Pick<LinkOptions, 'login'>) => ({
    partnerRegNo,
    accountRegNo,
    ...(login !== undefined && { login }),
  });
  const told = ({ partnerRegNo, accountRegNo, login, waiting }: AnswerOf<'partner.unlink'>) => ({
    done: `Partner ${partnerRegNo} may act for ${accountRegNo} no more${login === null ? '' : `, and login ${login} no longer sees its home`}.`,
    more: [
      waiting > 0 &&
        `${counted(waiting, 'file of it waits', 'files of it wait')}: held soon, with receipts, until it is linked again and they are sent again.`,
    ],
  });
  partner
    .asks('unlink <partnerRegNo> <accountRegNo>', 'partner.unlink', input, partner.outcome(told))
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
  const input = (partnerRegNo: string, options: LimitOptions & { readonly name?: string; readonly login?: string }) => {
    const { name, login } = options;
    return { partnerRegNo, limits: limitsOf(options), ...(name !== undefined && { name }), ...(login !== undefined && { login }) };
  };
  const command = partner
    .asks(
      'set <partnerRegNo>',
      'partner.set',
      input,
      partner.outcome(({ partnerRegNo }) => `Partner ${partnerRegNo} was changed.`),
    )
    .option('--name <name>', 'name of the company; of a partner of the core here')
    .option('--login <login>', 'the SFTP login that sees the children linked from now on; one that is there');
  withLimits(command);
}

function addRotateKey(partner: Commands): void {
  const command = partner.asks(
    'rotate-key <partnerRegNo>',
    'partner.rotate-key',
    async (partnerRegNo: string, options: RotateOptions) => ({ partnerRegNo, ...(await rotationIn(options, partner.terminal)) }),
    partner.outcome(({ partnerRegNo, apiKey }) => toldRotation('partner', partnerRegNo, apiKey)),
  );
  withRotation(command, 'partner');
}
