// Installing: a clean clone with and without a compiler, how much that is, and the steps of the container recipe, whatever Node the machine has.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { have, type Ran, run } from '../../support/sftp-clients.ts';

/** What building ssh2's add-on takes. */
const TOOLS = ['gcc', 'g++', 'cc', 'c++', 'make', 'python3'];

/** Of all files that `npm ci --omit=dev` installs but Node's; how much of a disk they take depends on its blocks. */
const PACKAGES_KIB_MAX = 60 * 1_024;
/** So many packages are named. */
const LARGEST = 8;

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

describe('what a checkout installs', () => {
  it('is small beside Node', async () => {
    const project = await clone('to-be-used');
    expect(await shell(project, 'npm ci --omit=dev')).toMatchObject({ status: 0 });
    const kib = async (options: string, paths: string): Promise<[kib: number, path: string][]> => {
      const { out } = await shell(project, `du -sk --exclude='node-linux-*' ${options} ${paths}`);
      return [...out.matchAll(/^(\d+)\tnode_modules\/?(.*)$/gm)].map(([, count, path = '']) => [Number(count), path]);
    };
    const [[inFiles] = [Number.NaN]] = await kib('--apparent-size', 'node_modules');
    const [[onDisk] = [Number.NaN]] = await kib('', 'node_modules');
    const largest = (await kib('', 'node_modules/[!@]* node_modules/@*/*')).sort(([one], [other]) => other - one).slice(0, LARGEST);
    const named = largest.map(([size, name]) => `${name} ${mib(size)}`).join(', ');
    console.warn(
      `packages of a checkout, beside Node: ${mib(inFiles)} MiB in files, ${mib(onDisk)} MiB on this disk, the largest there: ${named}`,
    );
    expect(inFiles).toBeLessThanOrEqual(PACKAGES_KIB_MAX);
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

describe.skipIf(!hasTools || !have('dpkg-shlibdeps'))('the container recipe', () => {
  it('its steps, in their order, lead to a daemon that starts', async () => {
    const build = join(folder, 'build');
    const outside = (step: string): string => step.replaceAll(/(?<=\s)\/(?=package|image)/g, `${folder}/`);
    for (const [instruction, step] of buildSteps()) {
      if (instruction === 'RUN') {
        const { status, out, err } = await shell(build, `export SOURCE_DATE_EPOCH=0; ${outside(step)}`);
        expect(status, out + err).toBe(0);
        continue;
      }
      const [to = '', ...sources] = step.split(/\s+/).reverse();
      for (const source of sources) copyAs(source, join(build, to), sources.length > 1 || to.endsWith('/'));
    }
    const program = join(folder, 'image/usr/lib/dropgate');
    expect(readdirSync(program)).not.toContain('src');
    writeFileSync(
      join(build, 'try.yaml'),
      'data: data\nsftp: {listen: "127.0.0.1:0"}\ncore: {listen: "127.0.0.1:0"}\nadmin: {listen: off}\n',
    );
    const serve = `${program}/node ${program}/program/main.mjs serve --config try.yaml > log 2>&1 & daemon=$!`;
    const untilReady = 'for look in $(seq 3000); do grep -q daemon.ready log && break; sleep 0.1; done';
    const { out } = await shell(build, `${serve}; ${untilReady}; kill $daemon; wait $daemon; cat log`);
    expect(out).toContain('"event":"daemon.ready"');
  });
});

/** What the first stage copies and runs, but for the packages of its base. */
function buildSteps(): [instruction: string, step: string][] {
  const [, stage = ''] = readFileSync('Dockerfile', 'utf8').split(/^FROM .+$/m);
  const steps = [...stage.matchAll(/^(COPY|RUN) (.+)$/gm)].map(([, instruction = '', step = '']): [string, string] => [instruction, step]);
  return steps.filter(([, step]) => !step.includes('apt-get'));
}

function copyAs(source: string, to: string, intoFolder: boolean): void {
  const target = intoFolder ? join(to, source.split('/').at(-1) ?? '') : to;
  mkdirSync(dirname(target), { recursive: true });
  cpSync(source, target, { recursive: true });
}

function mib(kib: number): string {
  return (kib / 1_024).toFixed(1);
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
