// A gateway with one home, and an ERP that knows it by OpenSSH's sftp alone.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { Layout } from '#gateway/model/layout.ts';
import type { ReceivingChanges } from '#gateway/model/receiving.ts';
import type { HomeFolder } from '#gateway/model/rule-words.ts';
import { putAccount } from '#gateway/operate/accounts.ts';
import { addLogin, addLoginHome } from '#gateway/operate/logins.ts';
import { invoice } from './documents.ts';
import { ed25519Pair } from './keys.ts';
import { ACCOUNT, passing, poll, serve } from './polled.ts';
import { run } from './sftp-clients.ts';
import type { StandIn } from './stand-in/stand-in.ts';
import type { World } from './world/world.ts';

const BROKEN = invoice({ id: 'BROKEN' }).slice(0, -100);

export interface ProviderSite {
  readonly world: World;
  readonly service: StandIn;
  /** Files of the ERP, in its own folder. */
  readonly erp: string;
  /** The commands in one session; fails where one of them does. */
  session(...commands: string[]): Promise<string>;
  /** The same by a login of the same home that has no layout. */
  plain(...commands: string[]): Promise<string>;
  /** What a session says that fails at the last of its commands. */
  failing(...commands: string[]): Promise<string>;
  /** Names in a folder, as OpenSSH lists them. */
  listed(folder: string): Promise<string[]>;
  /** The names in a folder, when so many files lie in that one on disk. */
  shown(folder: string, disk: HomeFolder, count: number): Promise<string[]>;
  /** A document that comes from the network. */
  arrive(bytes: Uint8Array): string;
  here(): string[];
  read(name: string): string;
}

interface Also {
  readonly receiving?: ReceivingChanges;
  /** A login of the same home that has no layout. */
  readonly hasPlain?: boolean;
}

/** A gateway whose login has this layout, and an ERP's folder with a good and a broken document. */
export async function providerSite(layout: Layout, { receiving = {}, hasPlain = false }: Also = {}): Promise<ProviderSite> {
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
      if (!hasPlain) return;
      await addLogin(on, { login: 'plain', passwordHash: null, publicKeys: [pair.public], rules: {} });
      await addLoginHome(on, 'plain', ACCOUNT, '');
    },
  });
  const sftp = async (login: string, commands: readonly string[]) => {
    const options = ['StrictHostKeyChecking=no', `UserKnownHostsFile=${join(erp, 'known')}`].flatMap((option) => ['-o', option]);
    const place = ['-P', String(world.gateway().sftp.port), `${login}@127.0.0.1`];
    const input = [`lcd ${erp}`, ...commands].join('\n');
    const { status, out, err } = await run('sftp', ['-q', '-b', '-', '-i', join(erp, 'key'), ...options, ...place], `${input}\n`);
    return { status, out, err: err.replace(/^Warning: Permanently added.*\n/gm, '') };
  };
  const working =
    (login: string): ProviderSite['session'] =>
    async (...commands) => {
      const { out, ...end } = await sftp(login, commands);
      expect(end).toEqual({ status: 0, err: '' });
      return out;
    };
  const session = working('erp');
  const listed: ProviderSite['listed'] = async (folder) => {
    const lines = (await session(`ls -1 ${folder}`)).split('\n').filter((line) => line !== '' && !line.startsWith('sftp>'));
    return lines.map((line) => line.slice(line.lastIndexOf('/') + 1)).sort();
  };
  return {
    world,
    service: there.service,
    erp,
    session,
    plain: working('plain'),
    async failing(...commands) {
      const { status, err } = await sftp('erp', commands);
      expect(status).toBe(1);
      return err;
    },
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
