// The kit's shell scripts with names that nobody would choose: what a file is called is never read as a command.
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { kitFiles } from '#operations/kit/files.ts';
import { KIT_FACTS } from '../../support/kit-facts.ts';
import { have } from '../../support/sftp-clients.ts';
import { command } from '../../support/terminal.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dropgate-kit-'));
  for (const { path, text, isProgram } of kitFiles(KIT_FACTS)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
    if (isProgram) chmodSync(join(folder, path), 0o755);
  }
  // They keep what they are told to do, and do nothing.
  standIn('sftp', 'while [ "$1" != -b ]; do shift; done; cat "$2" > "$TOLD"');
  standIn('lftp', 'cat "$2" > "$TOLD"');
});
afterEach(() => rmSync(folder, { recursive: true }));

function standIn(name: string, does: string): void {
  mkdirSync(join(folder, 'bin'), { recursive: true });
  writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${does}\n`, { mode: 0o755 });
}

/** Sends the files; the lines about them that the program was told, undefined when it was not started. */
function send(program: string, ...files: string[]): { status: number | null; told: string[] | undefined } {
  for (const file of files.filter((each) => !each.startsWith('missing'))) writeFileSync(join(folder, file), 'a document');
  const told = join(folder, 'told');
  const env = { PATH: `${join(folder, 'bin')}:${process.env.PATH}`, TOLD: told, DROPGATE_PASSWORD: 'secret' };
  const { status } = spawnSync(join(folder, program, 'send.sh'), files, { cwd: folder, env });
  const lines = existsSync(told) ? readFileSync(told, 'utf8').split('\n') : undefined;
  return { status, told: lines?.filter((line) => /^put|^!/.test(line)) };
}

describe.skipIf(!have('sed')).each(['openssh', 'lftp'])('%s', (program) => {
  it.each([
    'plain.xml',
    'räkning €.xml',
    'with "quotes" and \'others\'.xml',
    'back\\slash.xml',
    'end of quotes\\" !touch pwned',
    'tab\\tnewline\\n.xml',
    '-r.xml',
    '$(touch pwned)`touch pwned`.xml',
  ])('%s is one name', (name) => {
    const { status, told } = send(program, name);
    expect(status).toBe(0);
    expect(told).toHaveLength(1);
    // Quotes hold it together, and a backslash stands before each quote and backslash of its own.
    const names = [...told![0]!.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, each = '']) => each.replaceAll(/\\(.)/g, '$1'));
    expect(names).toEqual([join(folder, name), `inbox/${name}`]);
    expect(existsSync(join(folder, 'pwned'))).toBe(false);
  });

  it('a name with a line break in it is refused, with all that would be sent beside it', () => {
    expect(send(program, 'fine.xml', 'a\n!touch pwned')).toEqual({ status: 65, told: undefined });
  });

  it('a file that is not there is no success', () => {
    expect(send(program, 'fine.xml', 'missing.xml')).toEqual({ status: 66, told: undefined });
  });
});

it('the scripts are what a shell can read', () => {
  for (const { path } of kitFiles(KIT_FACTS).filter((file) => file.path.endsWith('.sh'))) execFileSync('sh', ['-n', join(folder, path)]);
});

it.each(['a;touch pwned', 'a\n!touch pwned', '-oProxyCommand=id', '$(id)', ''])('%j is no host', async (host) => {
  const config = join(folder, 'dropgate.yaml');
  writeFileSync(config, `data: ${join(folder, 'data')}\n`);
  await command(['account', 'add', '1', '--login', 'erp', '--config', config]);
  const made = await command(['connection-kit', 'erp', `--host=${host}`, '--out', join(folder, 'kit'), '--config', config]);
  expect(made).toMatchObject({ status: 64, err: expect.stringContaining('The host must be') });
  expect(existsSync(join(folder, 'kit'))).toBe(false);
});
