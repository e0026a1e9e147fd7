// The packages that the installed form carries: those that went into the bundle, ssh2 with what it needs, and Node.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '#domain/json.ts';
import { ROOT } from './bundle.ts';

const MODULES = join(ROOT, 'node_modules');
export const NODE = join(MODULES, `node-${process.platform}-${process.arch}`);
/** What building the add-on of cpu-features took. */
const BUILD_ONLY = ['buildcheck', 'nan'];
const IS_LICENCE = /^(?:licen[cs]e|copying|notice)/i;

export interface Inside {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  /** Below the root of the project. */
  readonly folder: string;
  /** The texts of its licence; one of its packages has none. */
  readonly texts: readonly string[];
  /** Of the archive that the registry served, as the lock file has it. */
  readonly integrity: string;
}

/** `modules`: files that went into the bundle. Sorted by name and version. */
export function packagesInside(modules: readonly string[]): Inside[] {
  const folders = new Set([NODE, ...sshFolders(), ...modules.flatMap((module) => packageFolder(module) ?? [])]);
  // A version may lie in several folders.
  const inside = new Map([...folders].map(readInside).map((each) => [keyOf(each), each]));
  return [...inside.values()].sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}

/** ssh2, and the packages that it loads when it runs. */
export function sshFolders(): string[] {
  const found = new Set<string>();
  const add = (name: string): void => {
    const folder = join(MODULES, name);
    if (found.has(folder) || BUILD_ONLY.includes(name)) return;
    found.add(folder);
    const { dependencies, optionalDependencies } = json(join(folder, 'package.json'));
    for (const needed of [dependencies, optionalDependencies]) Object.keys(isRecord(needed) ? needed : {}).forEach(add);
  };
  add('ssh2');
  return [...found];
}

export const keyOf = ({ name, version }: Inside): string => `${name}@${version}`;

/** The folder of the package that a file belongs to; null for our own. */
function packageFolder(module: string): string | null {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(module)?.[0] ?? null;
}

function readInside(path: string): Inside {
  const folder = path.slice(ROOT.length + 1);
  const { name, version, license } = json(join(path, 'package.json'));
  const locked = lockedPackages()[folder];
  if (typeof name !== 'string' || typeof version !== 'string' || !isRecord(locked)) throw new Error(`${folder} is in no lock file.`);
  const texts = readdirSync(path).filter((file) => IS_LICENCE.test(file));
  return {
    name,
    version,
    licence: typeof license === 'string' ? license : licenceOfOld(path),
    folder,
    texts: texts.sort().map((file) => readFileSync(join(path, file), 'utf8').trimEnd()),
    integrity: String(locked.integrity),
  };
}

/** Packages from before 2014 have a list. */
function licenceOfOld(path: string): string {
  const { licenses } = json(join(path, 'package.json'));
  const [first]: unknown[] = Array.isArray(licenses) ? licenses : [];
  if (!isRecord(first) || typeof first.type !== 'string') throw new Error(`${path} names no licence.`);
  return first.type;
}

function lockedPackages(): Readonly<Record<string, unknown>> {
  const { packages } = json(join(ROOT, 'package-lock.json'));
  return isRecord(packages) ? packages : {};
}

export function json(path: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
  return isRecord(value) ? value : {};
}
