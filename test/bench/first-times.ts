// What takes longer the first time: the threads that judge documents begin with the first one, and modules and rule sets load when something wants them.
import type { Client, SFTPWrapper } from 'ssh2';
import type { FamilyName } from '#domain/family.ts';
import type { TestDaemon } from '../support/daemon.ts';
import { documentOf } from '../support/documents.ts';
import { called, connect, openSftp } from '../support/sftp-clients.ts';
import { openPage } from './operator-pages.ts';
import { LOGIN, participantOfBuyer } from './parties.ts';

const TIMES = 10;

/** Milliseconds. */
export interface FirstTime {
  readonly first: number;
  readonly tenth: number;
}

export type FirstTimes = Readonly<Record<'login' | 'invoice' | 'order' | 'operator' | 'page', FirstTime>>;

/** `turn`: names the documents, none of which comes twice. There is an operator, and nothing of this has been done since the daemon started. */
export async function firstTimes(daemon: TestDaemon, turn: number): Promise<FirstTimes> {
  const login = await repeated(async () => void (await byPassword(daemon)).end());
  const client = await byPassword(daemon);
  try {
    const sftp = await openSftp(client);
    const invoice = await repeated((at) => accepted(daemon, sftp, 'Invoice', `${turn}-${at}`));
    const order = await repeated((at) => accepted(daemon, sftp, 'Order', `${turn}-${at}`));
    const operator = await repeated(async () => void (await openPage(daemon)));
    const ask = await openPage(daemon);
    return { login, invoice, order, operator, page: await repeated(() => ask('/')) };
  } finally {
    client.end();
  }
}

/** An invoice when none has come for long, in milliseconds. */
export async function lateInvoice(daemon: TestDaemon): Promise<number> {
  const client = await byPassword(daemon);
  try {
    const sftp = await openSftp(client);
    return await timed(() => accepted(daemon, sftp, 'Invoice', 'late'));
  } finally {
    client.end();
  }
}

function byPassword({ port, knownHosts }: TestDaemon): Promise<Client> {
  return connect({ port, knownHosts, login: LOGIN });
}

/** Puts a document of this family into the inbox; resolves when its receipt is there. */
async function accepted(daemon: TestDaemon, sftp: SFTPWrapper, family: FamilyName, id: string): Promise<void> {
  const name = `${family}-${id}.xml`;
  const bytes = Buffer.from(documentOf(family, { id, receiver: participantOfBuyer(0) }));
  await called((done) => sftp.writeFile(`/inbox/${name}`, bytes, done));
  await daemon.receipt('seller', name, 'accepted');
}

async function repeated(act: (at: number) => Promise<void>): Promise<FirstTime> {
  const took: number[] = [];
  for (let at = 0; at < TIMES; at++) took.push(await timed(() => act(at)));
  return { first: took.at(0) ?? Number.NaN, tenth: took.at(-1) ?? Number.NaN };
}

export async function timed(act: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  await act();
  return performance.now() - before;
}
