// `dropgate network check`: participants of accounts as strangers find them in the network, and what differs from what it should be.

import { type Checked, selectChecked } from '#core/ledger/watched.ts';
import { smpPartsOf } from '#core/network/network.ts';
import { openSurvey } from '#core/network/survey.ts';
import { lookNow } from '#core/network/watch.ts';
import { accountParticipants } from '#core/operate/administration.ts';
import { openOutbound } from '#core/outbound/outbound.ts';
import { isoTime } from '#domain/day.ts';
import { AppError } from '#domain/error.ts';
import type { Installation } from '#operations/installation.ts';
import { coreOf } from '#operations/installation.ts';
import type { Config } from '#runtime/config/config.ts';
import { openLog } from '#runtime/log.ts';
import type { Commands } from './commands.ts';
import { DIFFERS } from './exit-status.ts';
import type { Terminal } from './terminal.ts';

const LISTED_MAX = 10_000;
interface CheckOptions {
  readonly account?: string;
  readonly now?: boolean;
}

export function addCheck(network: Commands): void {
  const does = `how strangers find the participants of accounts, those that differ first; ${LISTED_MAX} at most. Exit status 1 when one differs`;
  const read = async (on: Installation, options: CheckOptions): Promise<Checked[]> => {
    const account = options.account ?? null;
    const { ledger } = coreOf(on);
    if (account !== null) await accountParticipants({ ledger }, account);
    if (options.now) await lookUp(on, account);
    else tellIfOff(network.terminal, on.config);
    const found = await selectChecked(ledger.read, account, LISTED_MAX);
    if (found.some(({ what }) => what !== null)) network.end(DIFFERS);
    return found;
  };
  network
    .list('check', does, { what: 'participants', line: lineOf, facts: told }, read)
    .option('--account <accountRegNo>', 'those of one account')
    .option('--now', 'look them up first, instead of telling what the daily look-ups have found');
}

function tellIfOff(terminal: Terminal, { core: { network } }: Config): void {
  if (network.kind === 'local') terminal.complain('Participants are not looked up: core.network.kind is local.');
  else if (network.watch === 'off') terminal.complain('Participants are looked up by --now only: core.network.watch is off.');
}

async function lookUp(on: Installation, account: string | null): Promise<void> {
  const {
    core: { network },
    outbound: settings,
    environment,
  } = on.config;
  if (network.kind === 'local') throw new AppError('usage', 'There is no network to look into: core.network.kind is local.');
  const core = coreOf(on);
  const outbound = openOutbound(settings, core.clock);
  try {
    const survey = openSurvey(smpPartsOf(network, { environment, dns: settings.dns, outbound, clock: core.clock }), network);
    // What comes of it is printed.
    await lookNow({ ...core, log: openLog('silent') }, survey, account, LISTED_MAX);
  } finally {
    await outbound.close();
  }
}

function told({ participant, accountRegNo, detail, reason, ...checked }: Checked): object {
  return {
    participant,
    accountRegNo,
    what: whatOf(checked),
    detail,
    since: isoTime(checked.since),
    lookedUpAt: isoTime(checked.lookedUpAt),
    nextLookAt: isoTime(checked.nextLookAt),
    certificateEndsAt: isoTime(checked.certificateEndsAt),
    reason,
  };
}

function lineOf(checked: Checked): string[] {
  const { participant, accountRegNo, detail, since, lookedUpAt, certificateEndsAt, reason } = checked;
  return [
    participant,
    accountRegNo,
    whatOf(checked),
    detail || reason || '-',
    `since ${isoTime(since) ?? '-'}`,
    `looked up ${isoTime(lookedUpAt) ?? 'never'}`,
    `certificate until ${isoTime(certificateEndsAt) ?? '-'}`,
  ];
}

/** `ok`: nothing differs. `unknown`: no look-up has had an answer yet. */
function whatOf({ what, lookedUpAt }: Pick<Checked, 'what' | 'lookedUpAt'>): string {
  return what ?? (lookedUpAt === null ? 'unknown' : 'ok');
}
