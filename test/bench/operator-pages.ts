// The pages of the admin listener as an operator's browser asks for them.
import { request } from 'undici';
import type { TestDaemon } from '../support/daemon.ts';

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

/** What is asked for, by its name in the table; `id` and `number`: of the document of a turn; `at`: when it was sent. */
export const PAGES: Readonly<Record<string, (id: string, number: string, at: string) => string>> = {
  'page: overview': () => '/',
  'page: find, the latest': () => '/find',
  'page: find, a state of an account': () => '/find?state=accepted&account=account-7',
  'page: find, the next ones': (id) => `/find?before=${id}`,
  'page: find, a number': (_id, number) => `/find?text=${number}`,
  'page: find, a start that all have': () => '/find?text=F-',
  'page: find, a part of a number': (_id, number) => `/find?text=${number.slice(3)}`,
  'page: a document': (id) => `/document?kind=dropped&id=${id}`,
  'page: accounts': () => '/accounts',
  'page: accounts, by a text': () => '/accounts?text=buyer',
  'page: an account': () => '/account?id=seller',
  'page: partners': () => '/partners',
  'page: logins': () => '/logins',
  'page: webhooks': () => '/webhooks',
  'page: network, to look after': () => '/network',
  'page: network, done, the next ones': (id, _number, at) => `/network?state=done&createdAt=${at}&instanceId=${id}`,
  'page: network, failed, of an account': () => '/network?state=failed&account=account-7',
  'page: connections': () => '/connections',
  'page: audit': () => '/audit',
};
