// Installing: a clean clone with and without a compiler, and the steps of the container recipe, whatever Node the machine has.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { have, type Ran, run } from '../../support/sftp-clients.ts';

/** What building ssh2's add-on takes. */
const TOOLS = ['gcc', 'g++', 'cc', 'c++', 'make', 'python3'];

const plainPath = (process.env.PATH ?? '').split(delimiter).filter((each) => !each.includes('node_modules'));
const hasTools = ['g++', 'make', 'python3'].map(have).every(Boolean);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'dropgate-install-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What was fetched once for this clone need not be fetched again, and nobody else need be asked. */
const NPM = ['npm_config_prefer_offline=true', 'npm_config_audit=false', 'npm_config_fund=false', 'npm_config_update_notifier=false'];

/** As a newcomer's shell would: without what npm has put into the environment of these tests. */
function shell(cwd: string, script: string, path: readonly string[] = plainPath): Promise<Ran> {
  const ours = Object.keys(process.env).filter((name) => /^npm_|^NODE|^VITEST|^INIT_CWD/i.test(name));
  const variables = [...ours.flatMap((name) => ['-u', name]), `PATH=${path.join(delimiter)}`, ...NPM];
  return run('env', [...variables, 'sh', '-c', `cd "$0" || exit; ${script}`, cwd]);
}

async function clone(name: string): Promise<string> {
  const to = join(folder, name);
  expect(await shell('.', `git clone --quiet . ${to}`)).toMatchObject({ status: 0 });
  return to;
}

const LOADS = `node_modules/.bin/node -e "require('ssh2/lib/protocol/crypto/build/Release/sshcrypto.node')"`;

describe.skipIf(!hasTools)('where a compiler is', () => {
  it('npm ci builds the add-on for the pinned Node, and leaves the clone clean', async () => {
    const project = await clone('with-compiler');
    const { status, out } = await shell(project, 'npm ci');
    expect(out).toContain('SSH crypto: the native add-on was built.');
    expect(status).toBe(0);
    expect(await shell(project, LOADS)).toMatchObject({ status: 0 });
    expect((await shell(project, 'git status --porcelain')).out).toBe('');
    expect((await shell(project, 'npm run postinstall')).out).toContain('SSH crypto: the native add-on is there.');
    expect((await shell(project, 'npx dropgate check-config')).out).toContain('role: all');
  });
});

describe('where no compiler is', () => {
  it('npm ci passes, and everything works in plain JavaScript', async () => {
    const project = await clone('without-compiler');
    const path = [pathWithout(TOOLS)];
    const { status, out } = await shell(project, 'npm ci', path);
    expect(out).toContain('SSH crypto: plain JavaScript');
    expect(status).toBe(0);
    expect((await shell(project, LOADS, path)).status).not.toBe(0);
    expect((await shell(project, 'npm run demo', path)).out).toContain('Equal:');
  });
});

describe('the container recipe', () => {
  it('its steps lead to a daemon that starts', async () => {
    const image = join(folder, 'image');
    for (const line of readFileSync('Dockerfile', 'utf8').match(/^COPY (?!--from).+$/gm) ?? []) {
      const [to = '', ...sources] = line.split(/\s+/).slice(1).reverse();
      if (to.startsWith('/')) continue;
      for (const source of sources) copyAs(source, join(image, to), sources.length > 1 || to.endsWith('/'));
    }
    const install = /^RUN (npm ci .+)$/m.exec(readFileSync('Dockerfile', 'utf8'))?.[1] ?? '';
    expect(await shell(image, install)).toMatchObject({ status: 0 });
    expect(readdirSync(join(image, 'node_modules'))).not.toContain('vitest');
    writeFileSync(
      join(image, 'try.yaml'),
      'data: data\nsftp: {listen: "127.0.0.1:0"}\ncore: {listen: "127.0.0.1:0"}\nadmin: {listen: off}\n',
    );
    const serve = 'node_modules/.bin/node src/main.ts serve --config try.yaml > log 2>&1 & daemon=$!';
    const untilReady = 'for look in $(seq 3000); do grep -q daemon.ready log && break; sleep 0.1; done';
    const { out } = await shell(image, `${serve}; ${untilReady}; kill $daemon; wait $daemon; cat log`);
    expect(out).toContain('"event":"daemon.ready"');
  });
});

function copyAs(source: string, to: string, intoFolder: boolean): void {
  const target = intoFolder ? join(to, source.split('/').at(-1) ?? '') : to;
  mkdirSync(dirname(target), { recursive: true });
  cpSync(source, target, { recursive: true });
}

/** A folder with links to every program of the PATH but these. */
function pathWithout(names: readonly string[]): string {
  const links = join(folder, 'bin');
  mkdirSync(links);
  for (const each of plainPath)
    for (const name of programs(each)) {
      if (names.some((tool) => name === tool || name.startsWith(`${tool}-`))) continue;
      try {
        symlinkSync(join(each, name), join(links, name));
      } catch {
        // An earlier folder of the PATH has it.
      }
    }
  return links;
}

function programs(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
