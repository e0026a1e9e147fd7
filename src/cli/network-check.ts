// `dropgate network check`: participants of accounts as strangers find them in the network, and what differs from what it should be.
import type { AnswerOf } from '#operations/table.ts';
import type { Config } from '#runtime/config/config.ts';
import type { Cell } from './cells.ts';
import type { Commands } from './commands.ts';
import { DIFFERS } from './exit-status.ts';
import type { Terminal } from './terminal.ts';

interface CheckOptions {
  readonly account?: string;
  readonly now?: boolean;
}

type Checked = AnswerOf<'network.check'>[number];

const COLUMNS: Readonly<Record<string, (checked: Checked) => Cell>> = {
  participant: ({ participant }) => participant,
  account: ({ accountRegNo }) => accountRegNo,
  state: ({ what }) => ({ state: what }),
  detail: ({ detail, reason }) => detail || reason || '-',
  since: ({ since }) => moment('since', since, '-'),
  'looked up': ({ lookedUpAt }) => moment('looked up', lookedUpAt, 'never'),
  certificate: ({ certificateEndsAt }) => moment('certificate until', certificateEndsAt, '-'),
};

function moment(what: string, at: string | null, without: string): Cell {
  const people = at === null ? without : { at };
  return { people, programs: [what, people] };
}

export function addCheck(network: Commands): void {
  const table = network.table('participants', COLUMNS);
  network
    .asks(
      'check',
      'network.check',
      ({ account, now = false }: CheckOptions) => ({ now, ...(account !== undefined && { accountRegNo: account }) }),
      (checked, config, { now = false }) => {
        if (!now) tellIfOff(network.terminal, config);
        table(checked, config);
      },
      { status: (checked) => (checked.some(({ what }) => what !== 'ok' && what !== 'unknown') ? DIFFERS : 0) },
    )
    .option('--account <accountRegNo>', 'those of one account')
    .option('--now', 'look them up first, instead of telling what the daily look-ups have found');
}

function tellIfOff(terminal: Terminal, { core: { network } }: Config): void {
  if (network.kind === 'local') terminal.complain('Participants are not looked up: core.network.kind is local.');
  else if (network.watch === 'off') terminal.complain('Participants are looked up by --now only: core.network.watch is off.');
}
