// The pages of the admin listener as an operator's browser asks for them.
import { request } from 'undici';
import type { TestDaemon } from '../support/daemon.ts';
import { invoice } from '../support/documents.ts';
import { called, connect, openSftp } from '../support/sftp-clients.ts';
import { until } from '../support/until.ts';
import { partnerOf, turnedAwayOf, webhookOf } from './operator-fill.ts';
import { LOGIN, participantOfBuyer } from './parties.ts';

const OPERATOR = 'anna';
const PASSWORD = 'correct horse battery staple';

/** Throws what the command says. */
export async function addOperator(daemon: TestDaemon): Promise<void> {
  const { status, err } = await daemon.cli(['operator', 'add', OPERATOR, '--role', 'look', '--password-stdin'], PASSWORD);
  if (status !== 0) throw new Error(`the operator could not be added: ${err}`);
}

/** Logs in, and returns what asks for a page. */
export async function openPage({ adminUrl }: TestDaemon): Promise<(path: string) => Promise<void>> {
  const form = { 'content-type': 'application/x-www-form-urlencoded', origin: adminUrl };
  const body = new URLSearchParams({ operator: OPERATOR, password: PASSWORD, next: '/' }).toString();
  const { headers } = await request(`${adminUrl}/login`, { method: 'POST', headers: form, body });
  const cookie = String(headers['set-cookie'] ?? '').split(';', 1)[0] ?? '';
  return async (path) => {
    const answer = await request(`${adminUrl}${path}`, { headers: { cookie } });
    await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`${path} is answered by ${answer.statusCode}`);
  };
}

/** A document that was sent, what became of it, and another that was refused. */
export interface Exchanged {
  /** The item of the refused one, which has a receipt with its findings. */
  readonly refused: string;
  /** The integrationId of the other, at its receiver. */
  readonly received: string;
}

const LOOKED_FOR = 'LOOKED-FOR';

/** From the seller to a buyer. Resolves when both have ended. */
export async function exchange(daemon: TestDaemon): Promise<Exchanged> {
  const client = await connect({ ...daemon, login: LOGIN });
  const right = invoice({ id: LOOKED_FOR, receiver: participantOfBuyer(0) });
  const wrong = Buffer.from(invoice({ id: `${LOOKED_FOR}-WRONG`, receiver: participantOfBuyer(0) }))
    .toString()
    .replace(/(<cbc:TaxInclusiveAmount[^>]*>)[^<]+/, '$112345.00');
  try {
    const sftp = await openSftp(client);
    await called((done) => sftp.writeFile('inbox/right.xml', Buffer.from(right), done));
    await called((done) => sftp.writeFile('inbox/wrong.xml', Buffer.from(wrong), done));
  } finally {
    client.end();
  }
  const idOf = (state: string, text: string): Promise<string> =>
    until(`${text}, ${state}`, async () => {
      const { out } = await daemon.cli(['find', text, '--state', state, '--json']);
      return /"id":\s*"([^"]+)"/.exec(out)?.[1];
    });
  return { refused: await idOf('refused', `${LOOKED_FOR}-WRONG`), received: await idOf('received', LOOKED_FOR) };
}

/** `at`: the number of its document; of that its id and number, when it was sent, and what stands beside. */
export interface Turn extends Exchanged {
  readonly at: number;
  readonly id: string;
  readonly number: string;
  readonly sentAt: string;
}

/** What is asked for, by its name in the table. */
export const PAGES: Readonly<Record<string, (turn: Turn) => string>> = {
  'page: overview': () => '/',
  'page: find, the latest': () => '/find',
  'page: find, a state of an account': () => '/find?state=accepted&account=account-7',
  'page: find, the next ones': ({ id }) => `/find?before=${id}`,
  'page: find, a number': ({ number }) => `/find?text=${number}`,
  'page: find, a start that all have': () => '/find?text=F-',
  'page: find, a start that all have, the next ones': ({ id, sentAt }) => `/find?text=F-&behind=${Date.parse(sentAt)}.dropped.${id}`,
  'page: find, a part of a number': ({ number }) => `/find?text=${number.slice(3)}`,
  'page: a document': ({ id }) => `/document?kind=dropped&id=${id}`,
  'page: a refused document': ({ refused }) => `/document?kind=dropped&id=${refused}`,
  'page: a received document': ({ received }) => `/document?kind=received&id=${received}`,
  'page: accounts': () => '/accounts',
  'page: accounts, by a text': () => '/accounts?text=buyer',
  'page: an account': () => '/account?id=seller',
  'page: partners': () => '/partners',
  'page: partners, by a text': () => '/partners?text=Trävaror',
  'page: a partner': ({ at }) => `/partner?id=${partnerOf(at)}`,
  'page: logins': () => '/logins',
  'page: a login': () => `/login-of?id=${LOGIN}`,
  'page: webhooks': () => '/webhooks',
  'page: webhooks, by a text': () => '/webhooks?text=example',
  'page: a webhook': ({ at }) => `/webhook?id=${webhookOf(at)}`,
  'page: network, to look after': () => '/network',
  'page: network, done, the next ones': ({ id, sentAt }) => `/network?state=done&createdAt=${sentAt}&instanceId=${id}`,
  'page: network, failed, of an account': () => '/network?state=failed&account=account-7',
  'page: a transmission': ({ at }) => `/transmission?id=transmitted-${at}`,
  'page: turned away': ({ at }) => `/turned-away?id=${turnedAwayOf(at)}`,
  'page: connections': () => '/connections',
  'page: archive': () => '/archive',
  'page: audit': () => '/audit',
};
