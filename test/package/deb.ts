// Builds the Debian package. Two builds of the same sources are equal byte for byte.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { ROOT } from './bundle.ts';
import { json } from './inside.ts';
import { CONFIG, PROGRAM, settle, writeTree } from './tree.ts';

const SCRIPTS = join(ROOT, 'systemd/debian');
const ADDONS = ['ssh2/lib/protocol/crypto/build/Release/sshcrypto.node', 'cpu-features/build/Release/cpufeatures.node'];
/** As Debian calls what Node calls otherwise. */
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

/** Returns the path of the package. */
export async function buildDeb(folder: string, sourceDate: number): Promise<string> {
  requireAddons();
  const { name, version, description } = json(join(ROOT, 'package.json'));
  const stamp = new Date(sourceDate * 1_000).toISOString().replaceAll(/[-:]/g, '').replace('T', '.').slice(0, 15);
  const debVersion = `${version}+${stamp}`;
  const root = mkdtempSync(join(tmpdir(), 'dropgate-deb-'));
  try {
    await writeTree({ root, version: debVersion, sourceDate });
    const files = filesIn(root);
    mkdirSync(join(root, 'DEBIAN'));
    const control = {
      Package: name,
      Version: debVersion,
      Architecture: architecture(),
      Maintainer: 'Dropgate',
      'Installed-Size': Math.ceil(files.reduce((sum, file) => sum + lstatSync(file).size, 0) / 1_024),
      Depends: `init-system-helpers (>= 1.54), systemd, ${librariesOf(root)}`,
      Suggests: 'acl, postgresql',
      Section: 'net',
      Priority: 'optional',
      Description: `${description}\n It carries the Node.js that it runs on.`,
    };
    const write = (file: string, lines: readonly string[]): void => writeFileSync(join(root, 'DEBIAN', file), `${lines.join('\n')}\n`);
    write(
      'control',
      Object.entries(control).map(([field, value]) => `${field}: ${value}`),
    );
    write('conffiles', [`/${CONFIG}`]);
    write(
      'md5sums',
      files.flatMap((file) => (lstatSync(file).isFile() ? `${md5(file)}  ${relative(root, file)}` : [])),
    );
    for (const script of readdirSync(SCRIPTS)) copyFileSync(join(SCRIPTS, script), join(root, 'DEBIAN', script));
    settle(root, sourceDate);
    const deb = join(resolve(folder), `${name}_${debVersion}_${architecture()}.deb`);
    mkdirSync(resolve(folder), { recursive: true });
    // A higher level takes six times as long for a tenth less.
    execFileSync('dpkg-deb', ['--root-owner-group', '-Zxz', '-z1', '--build', root, deb], {
      env: { ...process.env, SOURCE_DATE_EPOCH: String(sourceDate) },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    return deb;
  } finally {
    rmSync(root, { recursive: true });
  }
}

function requireAddons(): void {
  const missing = ADDONS.filter((addon) => !existsSync(join(ROOT, 'node_modules', addon)));
  if (missing.length > 0) throw new Error(`Not built: ${missing.join(', ')}. Install g++, make and python3, then: npm run postinstall`);
}

function architecture(): string {
  const name = ARCHITECTURES[process.arch];
  if (name === undefined) throw new Error(`No package is made for ${process.arch}.`);
  return name;
}

function filesIn(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((each) => !each.isDirectory())
    .map((each) => join(each.parentPath, each.name))
    .sort();
}

/** Which packages bring what Node and the add-ons link to, and from which version on. */
function librariesOf(root: string): string {
  const place = mkdtempSync(join(tmpdir(), 'dropgate-shlibdeps-'));
  try {
    mkdirSync(join(place, 'debian'));
    writeFileSync(join(place, 'debian/control'), 'Source: dropgate\n\nPackage: dropgate\nArchitecture: any\n');
    const programs = ['node', ...ADDONS.map((addon) => `node_modules/${addon}`)].map((path) => join(root, PROGRAM, path));
    const told = execFileSync('dpkg-shlibdeps', ['-O', ...programs], { cwd: place, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    return told.trim().replace('shlibs:Depends=', '');
  } finally {
    rmSync(place, { recursive: true });
  }
}

const md5 = (file: string): string => createHash('md5').update(readFileSync(file)).digest('hex');

export function sourceDateOf({ SOURCE_DATE_EPOCH: given }: NodeJS.ProcessEnv): number {
  return Number(given ?? execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: ROOT, encoding: 'utf8' }));
}
