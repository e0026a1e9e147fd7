// Sessions as other providers document them, played by OpenSSH: the host's name and the login are all that changes.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Layout } from '#gateway/model/layout.ts';
import type { ReceivingChanges } from '#gateway/model/receiving.ts';
import type { HomeFolder } from '#gateway/model/rule-words.ts';
import { putAccount } from '#gateway/operate/accounts.ts';
import { addLogin, addLoginHome } from '#gateway/operate/logins.ts';
import { invoice } from '../../../support/documents.ts';
import { ed25519Pair } from '../../../support/keys.ts';
import { ACCOUNT, HOUR, passing, poll, serve } from '../../../support/polled.ts';
import { have, run } from '../../../support/sftp-clients.ts';
import type { StandIn } from '../../../support/stand-in/stand-in.ts';
import type { World } from '../../../support/world/world.ts';

const BROKEN = invoice({ id: 'BROKEN' }).slice(0, -100);
const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';

interface Site {
  readonly world: World;
  readonly service: StandIn;
  /** Files of the ERP, in its own folder. */
  readonly erp: string;
  /** The commands in one session; fails where one of them does. */
  session(...commands: string[]): Promise<string>;
  /** Names in a folder, as OpenSSH lists them. */
  listed(folder: string): Promise<string[]>;
  /** The names in a folder, when so many files lie in that one on disk. */
  shown(folder: string, disk: HomeFolder, count: number): Promise<string[]>;
  /** A document that comes from the network. */
  arrive(bytes: Uint8Array): string;
  here(): string[];
  read(name: string): string;
}

/** A gateway whose login has this layout, and an ERP's folder with a good, a broken and another good document. */
async function site(layout: Layout, receiving: ReceivingChanges = {}): Promise<Site> {
  const pair = ed25519Pair();
  const erp = mkdtempSync(join(tmpdir(), 'dropgate-provider-'));
  onTestFinished(() => rmSync(erp, { recursive: true }));
  writeFileSync(join(erp, 'key'), pair.private, { mode: 0o600 });
  writeFileSync(join(erp, 'good.xml'), invoice({ id: 'GOOD' }));
  writeFileSync(join(erp, 'broken.xml'), BROKEN);
  const there = await serve();
  const world = await poll(there, receiving, {
    before: async (on) => {
      await putAccount(on, ACCOUNT, 'key-of-beta', receiving);
      await addLogin(on, { login: 'erp', passwordHash: null, publicKeys: [pair.public], rules: { layout } });
      await addLoginHome(on, 'erp', ACCOUNT, '');
    },
  });
  const session: Site['session'] = async (...commands) => {
    const options = ['StrictHostKeyChecking=no', `UserKnownHostsFile=${join(erp, 'known')}`].flatMap((option) => ['-o', option]);
    const place = ['-P', String(world.gateway().sftp.port), 'erp@127.0.0.1'];
    const input = [`lcd ${erp}`, ...commands].join('\n');
    const { status, out, err } = await run('sftp', ['-q', '-b', '-', '-i', join(erp, 'key'), ...options, ...place], `${input}\n`);
    expect({ status, err: err.replace(/^Warning: Permanently added.*\n/gm, '') }).toEqual({ status: 0, err: '' });
    return out;
  };
  const listed: Site['listed'] = async (folder) => {
    const lines = (await session(`ls -1 ${folder}`)).split('\n').filter((line) => line !== '' && !line.startsWith('sftp>'));
    return lines.map((line) => line.slice(line.lastIndexOf('/') + 1)).sort();
  };
  return {
    world,
    service: there.service,
    erp,
    session,
    listed,
    async shown(folder, disk, count) {
      await passing(world, `${count} files in ${disk}`, () => world.files(ACCOUNT, disk).length === count);
      return listed(folder);
    },
    arrive(bytes) {
      const { integrationId } = there.service.arrive(ACCOUNT, bytes);
      world.gateway().ring(ACCOUNT, 'Invoice');
      return integrationId;
    },
    here: () => readdirSync(erp).sort(),
    read: (name) => readFileSync(join(erp, name), 'utf8'),
  };
}

describe.runIf(have('sftp'))('to-peppol and from-peppol, with RCPT- and DLVY- files', () => {
  it('a file that is moved out of tmp has one receipt, which lies among what came', async () => {
    const { session, shown, listed, arrive, read, world, service } = await site('to-from-peppol-rcpt');
    for (const name of ['good.xml', 'broken.xml']) {
      await session(`put ${name} /to-peppol/tmp/${name}`, `rename /to-peppol/tmp/${name} /to-peppol/${name}`);
    }
    expect(await listed('/to-peppol/tmp')).toEqual([]);
    const receipts = await shown('/from-peppol', 'receipts', 2);
    for (const name of receipts) expect(name).toMatch(new RegExp(`^RCPT-${ACCOUNT}-${UUID}\\.xml$`));
    for (const name of receipts) await session(`get /from-peppol/${name}`, `rm /from-peppol/${name}`);
    const codes = receipts.map((name) => /ResponseCode>(\w\w)</.exec(read(name))?.[1]).sort();
    expect(codes).toEqual(['AP', 'RE']);

    const id = arrive(invoice({ id: 'CAME' }));
    const [came = ''] = await shown('/from-peppol', 'outbox', 1);
    expect(came).toBe(`DLVY-${ACCOUNT}-${id}.xml`);
    await session(`get /from-peppol/${came}`, `rm /from-peppol/${came}`);
    expect(read(came)).toBe(Buffer.from(invoice({ id: 'CAME' })).toString());
    expect(await listed('/from-peppol')).toEqual([]);
    expect(service.holding.all.filter(({ documentId }) => documentId === 'GOOD')).toHaveLength(1);
    await world.restart();
    await world.pass(HOUR);
    expect(await listed('/from-peppol')).toEqual([]);
  });
});

interface Contract {
  readonly provider: string;
  readonly layout: Layout;
  readonly receiving?: ReceivingChanges;
  /** Where files are dropped, and where what was received lies. */
  readonly send: string;
  readonly receive: string;
  /** How one that was received is fetched. */
  readonly fetch: (name: string) => readonly string[];
  /** Where originals go that were sent, and those that failed. */
  readonly sent?: string;
  readonly failed?: string;
}

const CONTRACTS: readonly Contract[] = [
  {
    provider: 'Qvalia: /send, received documents at the top, fetched as NAME.downloading',
    layout: 'flat',
    send: '/send',
    receive: '',
    fetch: (name) => [`rename /${name} /${name}.downloading`, `get /${name}.downloading ${name}`, `rm /${name}.downloading`],
  },
  {
    provider: 'ECGrid: /out is complete when it is closed, and what was downloaded from /in is gone',
    layout: 'out-in',
    receiving: { outbox: 'downloaded' },
    send: '/out',
    receive: '/in',
    fetch: (name) => [`get /in/${name}`],
  },
  {
    provider: 'Domibus: OUT, IN, SENT and FAILED',
    layout: 'out-in-sent-failed',
    send: '/OUT',
    receive: '/IN',
    fetch: (name) => [`get /IN/${name}`, `rm /IN/${name}`],
    sent: '/SENT',
    failed: '/FAILED',
  },
  {
    provider: 'Billit: a folder to send, one for what succeeded, one of exports',
    layout: { inbox: 'input', accepted: 'success', outbox: 'export' },
    send: '/input',
    receive: '/export',
    fetch: (name) => [`get /export/${name}`, `rm /export/${name}`],
    sent: '/success',
  },
];

describe.runIf(have('sftp'))('other folders', () => {
  it.each(CONTRACTS)('$provider', async ({ layout, receiving, send, receive, fetch, sent = '/accepted', failed = '/refused' }) => {
    const { session, shown, listed, arrive, here, read, service, world } = await site(layout, receiving);
    await session(`put good.xml ${send}/good.xml`, `put broken.xml ${send}/broken.xml`);
    expect(await shown(sent, 'accepted', 1)).toEqual([expect.stringMatching(/^good\..+\.xml$/)]);
    expect(await shown(failed, 'refused', 1)).toEqual([expect.stringMatching(/^broken\..+\.xml$/)]);
    // A client that looks for what it has just uploaded still finds it, for a while.
    await world.pass(HOUR);
    expect((await listed(send)).filter((name) => name.endsWith('.xml'))).toEqual([]);
    expect(service.holding.all.filter(({ documentId }) => documentId === 'GOOD')).toHaveLength(1);

    arrive(invoice({ id: 'CAME' }));
    const [came = ''] = (await shown(receive, 'outbox', 1)).filter((name) => name.includes('CAME'));
    await session(...fetch(came));
    expect(here()).toContain(came);
    expect(read(came)).toBe(Buffer.from(invoice({ id: 'CAME' })).toString());
    await passing(world, 'it to be gone', () => world.files(ACCOUNT, 'outbox').length === 0);
  });
});
