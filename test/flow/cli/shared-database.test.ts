// Gateways and cores may share one database of PostgreSQL, in schemas of their own; their key files differ.
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { openLedgerOfCore } from '#core/ledger/open.ts';
import { folderId } from '#gateway/disk/folder-id.ts';
import { readAccounts } from '#gateway/ledger/accounts.ts';
import { putFolderId, putNode } from '#gateway/ledger/nodes.ts';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import { systemRandom } from '#runtime/clock.ts';
import { openLog } from '#runtime/log.ts';
import { connectedTo, hasPostgres, newPostgresDatabase, type PostgresDatabase } from '../../support/postgres.ts';
import { testSite } from '../../support/site.ts';
import { type CommandResult, command } from '../../support/terminal.ts';

const { at } = testSite();
const CORE = 'role: core\ncore: {listen: "127.0.0.1:0"}\nadmin: {listen: off}';
const GATEWAY = 'role: gateway\nservice: {url: "https://x.example"}\nsftp: {listen: "127.0.0.1:0"}\nadmin: {listen: off}';

describe.runIf(hasPostgres)('On one database of PostgreSQL', () => {
  let url = '';
  let held: PostgresDatabase;
  beforeEach(async () => {
    held = await newPostgresDatabase();
    onTestFinished(() => held[Symbol.asyncDispose]());
    writeFileSync(at('password'), held.place.password ?? '', { mode: 0o600 });
    url = connectedTo(held.place).config.database.url;
  });

  /** A command of an installation that has the data folder of this name. */
  function run(data: string, settings: string, line: string, secret?: string): Promise<CommandResult> {
    mkdirSync(at(data), { recursive: true });
    const file = at(`${data}.yaml`);
    writeFileSync(file, `data: ${at(data)}\n${settings}\ndatabase: {url: "${url}", password: {file: ${at('password')}}}\n`);
    return command([...line.split(' '), '--config', file], secret);
  }

  const ofCore = (line: string): Promise<CommandResult> => run('core', CORE, line);
  const ofGateway = (line: string, secret?: string): Promise<CommandResult> => run('gateway', GATEWAY, line, secret);
  const addToCore = (): Promise<CommandResult> => ofCore('account add 1 --name One');
  const addToGateway = (): Promise<CommandResult> => ofGateway('account add 1 --remote --api-key-stdin --login one', 'key-of-one');

  it.each([
    ['a gateway after a core', addToCore, addToGateway, ofGateway],
    ['a core after a gateway', addToGateway, addToCore, ofCore],
  ])('%s makes a key file of its own', async (_, first, second, ofSecond) => {
    expect(await first()).toMatchObject({ status: 0, err: '' });
    const { err } = await ofSecond('check-config');
    expect(err).not.toContain('key file');
    expect((await ofSecond('doctor')).out).not.toContain('problem\tThe key file');
    expect(await second()).toMatchObject({ status: 0, err: '' });
    for (const data of ['core', 'gateway']) expect(existsSync(at(data, 'keys/secret.key'))).toBe(true);
  });

  describe('a node', () => {
    const UNLIKE = 'another data folder than';
    /** Node a has the folder of all; node d is another machine. */
    const ofNode = (node: string, data: string, line: string): Promise<CommandResult> => run(data, `${GATEWAY}\nnode: ${node}`, line);

    beforeEach(async () => {
      expect(await addToGateway()).toMatchObject({ status: 0, err: '' });
    });

    /** The nodes have worked on the folder of the gateway; `lives`: one does so now. */
    async function worked({ lives }: { readonly lives: boolean }): Promise<void> {
      const ledger = await openGatewayLedger(at('gateway'), held.place, { process: 'first' });
      onTestFinished(() => ledger.close());
      if (lives) expect(await ledger.claim('first', async () => true)).toBe(true);
      await ledger.write(['administration'], async (rows) => {
        await putFolderId(rows, await folderId(at('gateway'), systemRandom));
        if (lives) await putNode(rows, { incarnation: 'first', node: 'a', place: 'elsewhere' }, 86_400_000);
      });
    }

    async function sealedKeys(): Promise<number[]> {
      const ledger = await openGatewayLedger(at('gateway'), held.place);
      const accounts = await readAccounts(ledger.read).finally(() => ledger.close());
      return accounts.map(({ serviceKey }) => serviceKey?.length ?? 0);
    }

    it.each([
      ['while one lives', true, 'Node a (elsewhere) works on another data folder than'],
      ['while none does', false, 'The nodes of this database worked on another data folder than'],
    ])('with an empty folder is told of the folder, and loses no key: %s', async (_, lives, sentence) => {
      await worked({ lives });
      const told = { status: 64, err: expect.stringContaining(`${sentence} ${at('unmounted')}`) };
      for (const line of ['check-config', 'serve', 'account list', 'recover --new-key']) {
        const answer = await ofNode('d', 'unmounted', line);
        expect({ line, ...answer }).toMatchObject({ line, ...told });
        if (line !== 'recover --new-key') expect(answer.err).not.toContain('--new-key');
      }
      expect((await ofNode('d', 'unmounted', 'doctor')).out).toContain(`problem\t${sentence}`);
      expect(readdirSync(at('unmounted'))).not.toContain('folder.id');
      expect(await sealedKeys()).not.toContain(0);
    });

    it('with the folder of another dropgate, and its key, is told of the folder', async () => {
      await worked({ lives: true });
      mkdirSync(at('other/keys'), { recursive: true });
      writeFileSync(at('other/keys/secret.key'), systemRandom(32));
      await folderId(at('other'), systemRandom);
      for (const line of ['check-config', 'account list']) {
        const { status, err } = await ofNode('d', 'other', line);
        expect([status, err]).toEqual([64, expect.stringContaining(UNLIKE)]);
        expect(err).not.toContain('key file');
      }
    });

    it('makes no do without the key while another lives', async () => {
      await worked({ lives: true });
      rmSync(at('gateway/keys/secret.key'));
      expect(await ofNode('b', 'gateway', 'recover --new-key')).toMatchObject({
        status: 75,
        err: expect.stringContaining('Another dropgate (elsewhere) has the homes in hand: stop it first.'),
      });
      expect(existsSync(at('gateway/keys/secret.key'))).toBe(false);
      expect(await sealedKeys()).not.toContain(0);
    });

    it('makes do without the key where none lives', async () => {
      await worked({ lives: false });
      rmSync(at('gateway/keys/secret.key'));
      expect((await ofNode('b', 'gateway', 'account list')).err).toContain('recover --new-key');
      expect(await ofNode('b', 'gateway', 'recover --new-key')).toMatchObject({ status: 0, err: '' });
      expect(await sealedKeys()).toEqual([0]);
    });

    it('makes do without the key on any folder before the first has started', async () => {
      expect(await ofNode('d', 'unmounted', 'recover --new-key')).toMatchObject({ status: 0, err: '' });
    });

    it('says that a restored folder is the one of all from now on', async () => {
      await worked({ lives: false });
      cpSync(at('gateway/keys'), at('restored/keys'), { recursive: true });
      expect((await ofNode('d', 'restored', 'account list')).err).toContain(UNLIKE);
      expect(await ofNode('d', 'restored', 'recover --restored')).toMatchObject({ status: 0, err: '' });
      expect(await ofNode('d', 'restored', 'account list')).toMatchObject({ status: 0, err: '' });
    });

    it('says so, too, of one whose key is lost', async () => {
      await worked({ lives: false });
      mkdirSync(at('restored'));
      expect((await ofNode('d', 'restored', 'recover --new-key')).err).toContain('dropgate recover --new-key --restored');
      expect(await ofNode('d', 'restored', 'recover --new-key --restored')).toMatchObject({ status: 0, err: '' });
      expect(await ofNode('d', 'restored', 'recover --restored')).toMatchObject({ status: 0, err: '' });
    });
  });

  it('a core makes no do without its key while another works', async () => {
    expect(await addToCore()).toMatchObject({ status: 0 });
    const ledger = await openLedgerOfCore({
      path: at('elsewhere/core.db'),
      server: held.place,
      incarnation: 'other',
      node: 'other',
      log: openLog('silent'),
    });
    onTestFinished(() => ledger.close());
    rmSync(at('core/keys/secret.key'));
    const newKey = (): Promise<CommandResult> => run('core', `${CORE}\nnode: one`, 'recover --new-key');
    expect(await newKey()).toMatchObject({
      status: 75,
      err: expect.stringContaining('Another core works on this database: stop it first.'),
    });
    expect(existsSync(at('core/keys/secret.key'))).toBe(false);
    await ledger.close();
    expect(await newKey()).toMatchObject({ status: 0, err: '' });
  });
});
