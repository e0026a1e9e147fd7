// Partners with the commands of docs/accounts.md, as they stand there: beside a core, and in front of one that is somebody else's.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type ssh2 from 'ssh2';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../support/daemon.ts';
import { invoice } from '../support/documents.ts';
import { called, connect, openSftp, type Ran } from '../support/sftp-clients.ts';
import { until } from '../support/until.ts';

const PARTNER = '5569999999';
const [ACME, BETA, GAMMA] = ['0007:5567321707', '0007:5561234567', '0007:5560000001'];

/** The blocks of commands in the chapter, each command as its words; comments are left out. */
const BLOCKS = blocksOf(readFileSync(resolve(import.meta.dirname, '../../docs/accounts.md'), 'utf8'));

function blocksOf(page: string): string[][][] {
  const chapter = page.slice(page.indexOf('\n## Partners\n'));
  const blocks = chapter.slice(0, chapter.indexOf('\n## ', 1)).matchAll(/```sh\n([\s\S]*?)```/g);
  return [...blocks].map(([, block = '']) => block.trim().split('\n').map(wordsOf));
}

function wordsOf(line: string): string[] {
  const words = line.replace(/ +#.*/, '').matchAll(/'([^']*)'|(\S+)/g);
  return [...words].map(([, quoted, bare]) => quoted ?? bare ?? '');
}

/** Runs a block; `< key` stands for standard input. Resolves with what each command printed. */
async function runBlock(daemon: TestDaemon, index: number, key = ''): Promise<string[]> {
  const printed: string[] = [];
  for (const [program, ...words] of BLOCKS[index] ?? []) {
    expect(program).toBe('dropgate');
    const redirect = words.indexOf('<');
    const ran: Ran = await daemon.cli(redirect < 0 ? words : words.slice(0, redirect), key);
    expect([words.join(' '), ran.status, ran.err]).toEqual([words.join(' '), 0, '']);
    printed.push(ran.out.trim());
  }
  return printed;
}

const passwordIn = (text = ''): string => /password, shown once: (\S+)/.exec(text)?.[1] ?? '';
const keyIn = (text = ''): string => /API key, shown once: (\S+)/.exec(text)?.[1] ?? '';

async function openAs(daemon: TestDaemon, username: string, password: string) {
  const client = await connect(daemon, { username, password });
  const sftp = await openSftp(client);
  return {
    list: async (path: string): Promise<string[]> =>
      (await called<ssh2.FileEntryWithStats[]>((done) => sftp.readdir(path, done))).map(({ filename }) => filename).sort(),
    put: (path: string, content: Uint8Array): Promise<void> => called((done) => sftp.writeFile(path, Buffer.from(content), done)),
    [Symbol.dispose]: () => void client.end(),
  };
}

let daemon: TestDaemon;
let apiKey = '';
let password = '';
beforeAll(async () => {
  daemon = await startDaemon({ accounts: [] });
});
afterAll(() => daemon[Symbol.asyncDispose]());

it('beside a core: a folder for each child, while the daemon runs', async () => {
  const [, , added, , , children] = await runBlock(daemon, 0);
  apiKey = keyIn(added);
  password = passwordIn(added);
  expect(children?.split('\n')).toEqual(['5561234567\tbeta-ab\tlinked\t0007:5561234567', '5567321707\tacme-ab\tlinked\t0007:5567321707']);
  using firm = await until('the login', () => openAs(daemon, 'firm', password).catch(() => undefined));
  await until('the folders', async () => (await firm.list('/')).join() === 'acme-ab,beta-ab');
  await firm.put('/acme-ab/inbox/a.xml', invoice({ id: 'A-1', sender: ACME, receiver: BETA }));
  await until('the document', async () => (await firm.list('/beta-ab/outbox')).length === 1);
  await until('the receipt', async () => (await firm.list('/acme-ab/receipts')).some((name) => name.includes('.accepted.')));
});

it('one home for all children', async () => {
  const [added] = await runBlock(daemon, 4);
  using pool = await until('the login', () => openAs(daemon, 'pool', passwordIn(added)).catch(() => undefined));
  expect(await pool.list('/')).toEqual(['accepted', 'inbox', 'outbox', 'receipts', 'refused']);
  await pool.put('/inbox/g.xml', invoice({ id: 'G-1', sender: GAMMA, receiver: ACME }));
  await until('the receipt', async () => (await pool.list('/receipts')).some((name) => name.includes('.accepted.')));
});

it('in front of a remote service, with nothing but the partner’s key', async () => {
  await using gateway = await startDaemon({ role: 'gateway', accounts: [], config: { service: { url: daemon.coreUrl } } });
  const [added] = await runBlock(gateway, 1, `${apiKey}\n`);
  using firm = await until('the login', () => openAs(gateway, 'firm', passwordIn(added)).catch(() => undefined));
  await until('the folders', async () => (await firm.list('/')).join() === 'acme-ab,beta-ab');
  await firm.put('/beta-ab/inbox/b.xml', invoice({ id: 'B-1', sender: BETA, receiver: ACME }));
  await firm.put('/beta-ab/inbox/wrong.xml', invoice({ id: 'W-1', sender: ACME, receiver: BETA }));
  await until('the receipts', async () => {
    const receipts = await firm.list('/beta-ab/receipts');
    return receipts.some((name) => /^b\.xml.*accepted/.test(name)) && receipts.some((name) => /^wrong\.xml.*refused/.test(name));
  });
});

it('a link that ends hides the folder from an open session, and shows it again when it is back', async () => {
  using firm = await openAs(daemon, 'firm', password);
  await runBlock(daemon, 2);
  await until('the folder to go', async () => (await firm.list('/')).join() === 'acme-ab');
  const [[, ...items] = []] = BLOCKS[3] ?? [];
  expect(await daemon.cli(items)).toMatchObject({ status: 0, out: '' });
  expect((await daemon.cli(['partner', 'link', PARTNER, '5561234567'])).out).toContain(
    'may act for 5561234567, and login firm sees its home',
  );
  await until('the folder', async () => (await firm.list('/')).includes('beta-ab'));
});
