// Gateways and cores may share one database of PostgreSQL, in schemas of their own; their key files differ.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { connectedTo, hasPostgres, newPostgresDatabase } from '../../support/postgres.ts';
import { testSite } from '../../support/site.ts';
import { type CommandResult, command } from '../../support/terminal.ts';

const { at } = testSite();
const CORE = 'role: core\ncore: {listen: "127.0.0.1:0"}\nadmin: {listen: off}';
const GATEWAY = 'role: gateway\nservice: {url: "https://x.example"}\nsftp: {listen: "127.0.0.1:0"}\nadmin: {listen: off}';

describe.runIf(hasPostgres)('On one database of PostgreSQL', () => {
  let url = '';
  beforeEach(async () => {
    const held = await newPostgresDatabase();
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
});
