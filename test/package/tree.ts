// What lies where after an installation: the files of the package in a folder that stands for the root of a machine.
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, lutimesSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { bundle, ROOT } from './bundle.ts';
import { copyright } from './copyright.ts';
import { NODE, packagesInside, sshFolders } from './inside.ts';
import { manPages } from './man-pages.ts';
import { billOfMaterials } from './sbom.ts';

export const PROGRAM = 'usr/lib/dropgate';
export const CONFIG = 'etc/dropgate/dropgate.yaml';
export const DOCUMENTS = 'usr/share/doc/dropgate';
export const PAGES = 'usr/share/man';
export const UNITS = 'usr/lib/systemd/system';
/** The cache of what root's commands have compiled; below node_modules, where the program looks for it, a link leads here. */
const COMPILED = 'var/cache/dropgate/commands';

/** What may be executed; all else is read. */
const PROGRAMS = [`/${PROGRAM}/node`, '/usr/bin/dropgate', '/DEBIAN/postinst', '/DEBIAN/prerm', '/DEBIAN/postrm'];

const COMMAND = `#!/bin/sh
exec /${PROGRAM}/node /${PROGRAM}/program/main.mjs "$@"
`;

/** The units as a checkout has them, and as the package does. */
const INSTALLED: readonly (readonly [string, string])[] = [
  ['/opt/dropgate/node_modules/.bin/node /opt/dropgate/src/main.ts', `/${PROGRAM}/node /${PROGRAM}/program/main.mjs`],
  ['file:///opt/dropgate/docs/install.md', `man:dropgate(1) file:///${DOCUMENTS}/docs/install.md`],
  [
    '\nStateDirectory=',
    '\n# What Node has compiled, for the next start.\nCacheDirectory=dropgate/daemon\nEnvironment=NODE_COMPILE_CACHE=/var/cache/dropgate/daemon\nStateDirectory=',
  ],
];

const COMPLETIONS: Readonly<Record<string, string>> = {
  bash: 'usr/share/bash-completion/completions/dropgate',
  zsh: 'usr/share/zsh/vendor-completions/_dropgate',
  fish: 'usr/share/fish/vendor_completions.d/dropgate.fish',
};

/** Of a package only what runs: no tests, no sources of add-ons, no notes. */
const RUNS = /(?:\/[^./][^/]*\.js|\/package\.json|\/LICEN[CS]E[^/]*|\/build\/Release\/[^/]+\.node)$/i;
const IDLE = /\/(?:test|examples|util|deps|obj\.target)\/|\/(?:install|buildcheck|tests)\.js$/;

export interface TreeOptions {
  readonly root: string;
  readonly version: string;
  /** Seconds since 1970: the time of every file. */
  readonly sourceDate: number;
}

export async function writeTree({ root, version, sourceDate }: TreeOptions): Promise<void> {
  const put = (path: string, text: string | Uint8Array): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const putPacked = (path: string, text: string): void => put(`${path}.gz`, gzipSync(text, { level: 9 }));
  const copy = (from: string, to: string): void => put(to, readFileSync(join(ROOT, from)));

  const modules = [...(await bundle(join(root, PROGRAM, 'program'))).values()].flat();
  const inside = packagesInside(modules);
  copyFileSync(join(NODE, 'bin', 'node'), join(root, PROGRAM, 'node'));
  for (const folder of sshFolders()) copyPackage(folder, join(root, PROGRAM, 'node_modules', basename(folder)));
  put('usr/bin/dropgate', COMMAND);
  mkdirSync(join(root, COMPILED), { recursive: true });
  mkdirSync(join(root, PROGRAM, 'node_modules/.cache'));
  symlinkSync(`/${COMPILED}`, join(root, PROGRAM, 'node_modules/.cache/compiled'));

  for (const unit of ['dropgate.service', 'dropgate.socket'])
    put(`${UNITS}/${unit}`, installed(readFileSync(join(ROOT, 'systemd', unit), 'utf8')));
  for (const kind of ['sysusers', 'tmpfiles']) copy(`systemd/${kind}.conf`, `usr/lib/${kind}.d/dropgate.conf`);
  copy('config/package.yaml', CONFIG);

  const day = new Date(sourceDate * 1_000).toISOString().slice(0, 10);
  for (const { name, text } of await manPages(day)) putPacked(`${PAGES}/man${name.at(-1)}/${name}`, text);
  for (const [shell, path] of Object.entries(COMPLETIONS)) put(path, completion(root, shell));

  for (const folder of ['docs', 'config']) cpSync(join(ROOT, folder), join(root, DOCUMENTS, folder), { recursive: true });
  copy('README.md', `${DOCUMENTS}/README.md`);
  putPacked(`${DOCUMENTS}/changelog`, readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'));
  put(`${DOCUMENTS}/copyright`, copyright(inside));
  put(`${DOCUMENTS}/sbom.cdx.json`, billOfMaterials(inside, version, sourceDate));
}

/** Modes and times that do not come from the machine on which it is built. */
export function settle(root: string, sourceDate: number): void {
  for (const each of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const path = join(each.parentPath, each.name);
    if (!each.isSymbolicLink()) chmodSync(path, each.isDirectory() || isProgram(path) ? 0o755 : 0o644);
    lutimesSync(path, sourceDate, sourceDate);
  }
  chmodSync(root, 0o755);
  lutimesSync(root, sourceDate, sourceDate);
}

const isProgram = (path: string): boolean => PROGRAMS.some((each) => path.endsWith(each));

function copyPackage(from: string, to: string): void {
  const files = readdirSync(from, { recursive: true, encoding: 'utf8' }).filter((path) => RUNS.test(`/${path}`) && !IDLE.test(`/${path}`));
  for (const file of files) {
    mkdirSync(dirname(join(to, file)), { recursive: true });
    copyFileSync(join(from, file), join(to, file));
  }
}

function installed(unit: string): string {
  return INSTALLED.reduce((text, [from, to]) => text.replace(from, to), unit);
}

/** Asked of the program itself, with the Node that is in the package. */
function completion(root: string, shell: string): string {
  return execFileSync(join(root, PROGRAM, 'node'), [join(root, PROGRAM, 'program/main.mjs'), 'completion', shell], { encoding: 'utf8' });
}
