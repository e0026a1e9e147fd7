// The page of questions (docs/operate.md): each command that it shows is run beside a daemon, in the order of the page, and prints what the page
// says, but for times, numbers, ids and places.
import { spawnSync } from 'node:child_process';
import { appendFileSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type ssh2 from 'ssh2';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { SELLER_AND_BUYER, startDaemon, type TestDaemon } from '../support/daemon.ts';
import { invoice } from '../support/documents.ts';
import { freePort } from '../support/free-port.ts';
import { called, connect, openSftp, tryLogin } from '../support/sftp-clients.ts';
import { command } from '../support/terminal.ts';
import { eventually, until } from '../support/until.ts';

const PAGE = readFileSync('docs/operate.md', 'utf8');

interface Shown {
  readonly question: string;
  readonly line: string;
  readonly prints: string;
}

/** Commands of all blocks, with what stands below each. */
const SHOWN: readonly Shown[] = PAGE.split(/^## /m).flatMap((section) => {
  const question = section.split('\n', 1)[0] ?? '';
  const blocks = [...section.matchAll(/^```console\n(.*?)^```$/gms)].map(([, block = '']) => block);
  return blocks.flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((each) => {
        const [line = '', ...prints] = each.split('\n');
        return { question, line, prints: prints.join('\n') };
      }),
  );
});

let daemon: TestDaemon;
let client: ssh2.Client;
/** What stands here for what the page has. */
const here = new Map<string, string>();
/** The document that the buyer has got, as the page has it. */
const RECEIVED = '01a20ea9-06d6-7242-a8a0-df27baa4fb56';

beforeAll(async () => {
  const [sftp, core, admin] = [await freePort(), await freePort(), await freePort()];
  const config = {
    sftp: { listen: `127.0.0.1:${sftp}`, fileMax: '64KiB' },
    core: { listen: `127.0.0.1:${core}` },
    admin: { listen: `127.0.0.1:${admin}` },
    gateway: { settle: '300ms', rescan: '1s', archive: '3650d' },
  };
  daemon = await startDaemon({ accounts: SELLER_AND_BUYER, config });
  writeFileSync(join(daemon.folder, 'passphrase'), 'correct horse battery staple\n');
  here.set('/var/lib/dropgate', daemon.data);
  here.set('/etc/dropgate/dropgate.yaml', daemon.configFile);
  here.set('/backup/', `${daemon.folder}/`);
  client = await connect(daemon);
  await put('F-42');
  await daemon.receipt('seller', 'F-42.xml', 'accepted');
  const found = async (text: string) => JSON.parse((await dropgate(['find', text, '--json'])).out).found;
  const received = await until('the received document', async () =>
    (await found('F-42')).find(({ kind }: { kind: string }) => kind === 'received'),
  );
  await eventually(async () => expect((await dropgate(['find', received.id])).out).toMatch(/published.*marked/s));
  await download();
  const wrong = Buffer.from(invoice({ id: 'F-43' })).toString();
  await put('F-43', wrong.replace(/(<cbc:PayableAmount currencyID="SEK">)[\d.]+/, '$199.99'));
  await daemon.receipt('seller', 'F-43.xml', 'refused');
  await expect(put('F-44', Buffer.alloc(70_000))).rejects.toThrow('larger than');
  await tryLogin(daemon, { username: 'erp', password: 'forgotten' });
  await eventually(async () => expect((await dropgate(['connections', '--failed'])).out).toContain('erp'));
  await eventually(async () => expect(await found('F-44')).toHaveLength(1));
  await eventually(async () => expect((await found('F-42'))[1]).toMatchObject({ network: 'delivered' }));
  here.set('w70qgh4g', lettersOf((await found('F-43'))[0].id));
  const [came, sent] = await found('F-42');
  here.set(RECEIVED, came.id);
  here.set(RECEIVED.slice(-8), came.id.slice(-8));
  here.set('hf6d2xb4', lettersOf(sent.id));
});
afterAll(async () => {
  client?.end();
  await daemon?.[Symbol.asyncDispose]();
});

/** The buyer's ERP reads what has come. */
async function download(): Promise<void> {
  const buyer = await connect(daemon, { username: 'buyer' });
  const name = await until('the document', () => daemon.files('buyer', 'outbox')[0]);
  const sftp = await openSftp(buyer);
  await called<Buffer>((done) => sftp.readFile(`outbox/${name}`, done));
  buyer.end();
}

async function put(id: string, bytes: Uint8Array | string = invoice({ id })): Promise<void> {
  const sftp = await openSftp(client);
  await called((done) => sftp.writeFile(`inbox/${id}.xml`, Buffer.from(bytes), done));
  sftp.end();
}

const dropgate = (args: readonly string[]) =>
  command([...args, '--config', daemon.configFile], undefined, { isColoured: false, nowMs: Date.now() });

/** The seller may ask so little of the service that what is dropped now waits. */
async function putOne(id: string, requests: string): Promise<string> {
  expect(await dropgate(['account', 'set', 'seller', '--requests', requests])).toMatchObject({ status: 0 });
  await put(id);
  const item = await until('the item', async () => {
    const { out } = await dropgate(['items', '--state', 'pending', '--file', id, '--json']);
    return out === '' ? null : JSON.parse(out);
  });
  return item.item;
}

const lettersOf = (item: string): string => item.slice(-8).toLowerCase();

/** What has happened before a question is asked. */
const BEFORE: Readonly<Record<string, () => Promise<void>>> = {
  async 'Who is connected now?'() {
    await eventually(async () => expect((await dropgate(['connections', '--json'])).out.split('\n')).toHaveLength(1));
  },
  async 'Has the receiver fetched it?'() {
    await eventually(async () => expect((await dropgate(['find', here.get(RECEIVED) ?? ''])).out).toContain('downloaded'));
  },
  async 'Nothing is sent'() {
    here.set('t4h8w2cz', lettersOf(await putOne('F-45', '1')));
    await until('its reason', async () => (await dropgate(['items', '--state', 'pending'])).out.includes('budget'));
  },
  async 'A document is held'() {
    const item = await putOne('F-46', '1');
    here.set('9yk2p0sv', lettersOf(item));
    client.end();
    await daemon.stop();
    await dropgate(['account', 'set', 'seller', '--requests', 'default']);
    const spool = join(daemon.data, 'spool', 'seller');
    for (const name of readdirSync(spool)) if (name.includes(item)) appendFileSync(join(spool, name), 'x');
    await daemon.start();
    client = await connect(daemon);
    await daemon.receipt('seller', 'F-46.xml', 'held');
  },
  'The disk is full': async () => want('10000GiB'),
  'A setting must change while it runs': async () => want('1MiB'),
};

/** Whether there is room is a matter of the setting, as a disk that is really small cannot be had everywhere. */
function want(diskFree: string): void {
  const config: object = parse(readFileSync(daemon.configFile, 'utf8'));
  writeFileSync(daemon.configFile, stringify({ ...config, alarms: { diskFree } }));
}

async function stop(): Promise<string> {
  client.end();
  await daemon.stop();
  return '';
}

/** Commands of the system. */
const SYSTEM: Readonly<Record<string, () => Promise<string>>> = {
  'systemctl stop dropgate.socket dropgate': stop,
  'systemctl stop dropgate': stop,
  async 'systemctl start dropgate'() {
    await daemon.start();
    return '';
  },
  async 'systemctl reload dropgate'() {
    daemon.signal('SIGHUP');
    await until('the reload', () => daemon.facts().find(({ event }) => event === 'daemon.reloaded'));
    return '';
  },
  async 'mv /var/lib/dropgate /var/lib/dropgate.before'() {
    renameSync(daemon.data, `${daemon.data}.before`);
    return '';
  },
  'du -sm /var/lib/dropgate/*': async () =>
    spawnSync(`du -sm ${daemon.data}/*`, { shell: true, env: { ...process.env, LC_ALL: 'C' }, encoding: 'utf8' }).stdout,
  'curl http://127.0.0.1:8082/readyz': async () => (await fetch(`${daemon.adminUrl}/readyz`)).text(),
};

async function run(line: string): Promise<string> {
  const system = SYSTEM[line];
  if (system) return system();
  let words = line;
  for (const [shown, its] of here) words = words.replaceAll(shown, its);
  const [program, ...args] = words
    .replace(' | tail -n 1', '')
    .replace(/2\d{3}-\d\d(?=$| )/, new Date().toISOString().slice(0, 7))
    .split(' ');
  expect(program).toBe('dropgate');
  const { out, err } = await dropgate(args);
  const printed = [out, err].filter((each) => each !== '').join('\n');
  const since = /resubmit --since (\S+)/.exec(printed)?.[1];
  if (since !== undefined) here.set('2026-11-24T17:45:00.000Z', since);
  return line.endsWith('| tail -n 1') ? (printed.split('\n').at(-1) ?? '') : printed;
}

/** What must be alike. */
function shapeOf(printed: string): string {
  let text = printed;
  for (const [shown, its] of here) text = text.replaceAll(its, shown).replaceAll(its.toUpperCase(), shown.toUpperCase());
  return text
    .replaceAll(hostname(), 'gw1')
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z| [+-]\d\d:\d\d)( \([^)]*\))?/g, 'TIME')
    .replaceAll(/[\dA-HJKMNP-TV-Z]{18}(?=[\dA-Z]{8}\b)/g, 'ID')
    .replaceAll(/\b[\da-f]{64}\b/g, 'MAC')
    .replaceAll(/(?<![\w.-])\d[\d.]*/g, 'N')
    .replaceAll(/N (ms|s)\b/g, 'TOOK')
    .replaceAll(/[ \t]+/g, ' ')
    .replaceAll(/ ?\n/g, '\n')
    .trim();
}

it('every command prints what the page says', async () => {
  let question = '';
  for (const shown of SHOWN) {
    if (shown.question !== question) await BEFORE[shown.question]?.();
    ({ question } = shown);
    const printed = await run(shown.line);
    expect.soft({ line: shown.line, prints: shapeOf(printed) }).toEqual({ line: shown.line, prints: shapeOf(shown.prints) });
  }
});

it('names no command outside of what is run', () => {
  const text = PAGE.replaceAll(/^```console\n.*?^```$/gms, '');
  expect(text).not.toMatch(/^(dropgate|systemctl|\$) /m);
});
