// The manifest of a day: every file with its digest, signed, and chained to the day before by the digest of its manifest.
import { createPrivateKey, createPublicKey, generateKeyPairSync, hash, type KeyObject, sign, verify } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { parsedJson } from '#domain/json.ts';
import { KeyedMutex } from '#runtime/concurrency.ts';
import { type Check, digestFile, ensureFolder, makeOnce, replaceDurable } from '#runtime/files/durable.ts';
import { isThere } from '#runtime/files/rights.ts';
import { MANIFEST, SIGNATURE } from './places.ts';

const Link = Type.Object({ day: Type.String(), sha256: Type.String() });
/** A closed day, by the digest of its manifest. */
type Link = Readonly<Static<typeof Link>>;
const Entry = Type.Object({ name: Type.String(), size: Type.Integer(), sha256: Type.String() });
type Entry = Readonly<Static<typeof Entry>>;

const Manifest = Type.Object({
  archive: Type.Literal(1),
  accountRegNo: Type.String(),
  day: Type.String(),
  /** The closed day before; null of the first one. */
  before: Type.Union([Link, Type.Null()]),
  files: Type.Array(Entry),
});
type Manifest = Readonly<Static<typeof Manifest>>;

const checker = Compile(Manifest);

/** A file of a day, as it is now. */
export async function entryOf(folder: string, name: string): Promise<Entry> {
  const path = join(folder, name);
  return { name, size: (await lstat(path)).size, sha256: await digestFile(path) };
}

/** Writes the manifest of a day, its signature first: a day is closed when its manifest is there. */
export async function writeManifest(folder: string, manifest: Manifest, key: KeyObject, check: Check): Promise<Link> {
  const bytes = Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`);
  const kept = { mode: 0o640, check };
  await replaceDurable(join(folder, SIGNATURE), sign(null, bytes, key), kept);
  await replaceDurable(join(folder, MANIFEST), bytes, kept);
  return { day: manifest.day, sha256: hash('sha256', bytes) };
}

export interface ReadManifest {
  readonly manifest: Manifest;
  readonly link: Link;
  readonly isSigned: boolean;
}

/** The manifest of a day; null where there is none, or something else in its place. */
export async function readManifest(folder: string, key: KeyObject): Promise<ReadManifest | null> {
  if (!existsSync(join(folder, MANIFEST))) return null;
  const bytes = await readFile(join(folder, MANIFEST));
  const signature = existsSync(join(folder, SIGNATURE)) ? await readFile(join(folder, SIGNATURE)) : Buffer.alloc(0);
  const manifest = parsedJson(bytes);
  if (!checker.Check(manifest)) return null;
  return { manifest, link: { day: manifest.day, sha256: hash('sha256', bytes) }, isSigned: verify(null, bytes, key, signature) };
}

/** By data folder. */
const making = new KeyedMutex();

/** The key that signs manifests and reconciliation files; made once. Its public half lies beside it, for those who check elsewhere. */
export function signingKey(data: string): Promise<KeyObject> {
  return making.run(data, () => keptKey(data));
}

async function keptKey(data: string): Promise<KeyObject> {
  const folder = ensureFolder(data, 'keys');
  const path = join(folder, 'archive.key');
  if (!isThere(path)) {
    const { privateKey } = generateKeyPairSync('ed25519');
    await makeOnce(path, Buffer.from(privateKey.export({ type: 'pkcs8', format: 'pem' })));
  }
  const key = createPrivateKey(readFileSync(path));
  await showPublicHalf(join(folder, 'archive.pub'), key);
  return key;
}

/** It follows from the key that is there, whichever process has made that: nodes that begin at the same time write the same. */
async function showPublicHalf(path: string, key: KeyObject): Promise<void> {
  const half = Buffer.from(createPublicKey(key).export({ type: 'spki', format: 'pem' }));
  if (existsSync(path) && !readFileSync(path).equals(half)) rmSync(path, { force: true });
  if (!existsSync(path)) await makeOnce(path, half, 0o644);
}

/** The half of it that checks; undefined where no day was ever closed. */
export function checkingKey(data: string): KeyObject | undefined {
  const path = join(data, 'keys', 'archive.key');
  return isThere(path) ? createPublicKey(createPrivateKey(readFileSync(path))) : undefined;
}
