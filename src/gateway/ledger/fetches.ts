// Which login has fetched which published file: downloaded it to the end, removed it, or given it another name. And which files nobody has any more,
// since their time in a home was over.
import { sql } from 'kysely';
import { inGroups } from '#domain/groups.ts';
import { keepLastPickup } from './last-uses.ts';
import type { Rows } from './schema.ts';
import type { PublicationFolder } from './tables/sending.ts';
import type { FetchAction } from './tables/transferring.ts';

export interface Fetch {
  readonly home: string;
  readonly folder: PublicationFolder;
  /** How the file was called then, or is since. */
  readonly name: string;
  readonly action: Exclude<FetchAction, 'expired'>;
  readonly login: string;
  /** `SHA256:…`; null where it came by its password alone. */
  readonly key: string | null;
  readonly address: string;
  readonly bytes: number;
  readonly sha256: string | null;
  readonly atMs: number;
  readonly times: number;
  /** The name that it was given; of `renamed` only. */
  readonly newName?: string;
}

/** Adds it to what is known of the file and the login. Of a file that the ledger has not published only that the home was used. */
export async function keepFetch(rows: Rows, fetch: Fetch): Promise<void> {
  const { login, action, key, address, bytes, sha256, atMs, times } = fetch;
  if (action === 'downloaded' && fetch.folder === 'outbox') await keepLastPickup(rows, { home: fetch.home, login, atMs });
  const publication = await publicationNamed(rows, fetch);
  if (publication === undefined) return;
  const latest = { name: fetch.newName ?? fetch.name, key, address, bytes, sha256, last_at: atMs };
  await rows
    .insertInto('fetches')
    .values({ publication, login, action, first_at: atMs, times, ...latest })
    .onConflict((conflict) =>
      conflict.columns(['publication', 'login', 'action']).doUpdateSet((e) => ({ ...latest, times: e('fetches.times', '+', times) })),
    )
    .execute();
}

/** A file of a home, as it is named there. */
type HomeFile = Pick<Fetch, 'home' | 'folder' | 'name'>;

/** Its time in the home is over. Told again, it is the later time that counts: what was to be removed still lay there, or lies there once more. */
export async function keepExpiry(rows: Rows, file: HomeFile, atMs: number): Promise<void> {
  const publication = await publicationNamed(rows, file);
  if (publication === undefined) return;
  const latest = { name: file.name, first_at: atMs, last_at: atMs };
  const byNobody = { login: '', key: null, address: '', bytes: 0, sha256: null, times: 1 };
  await rows
    .insertInto('fetches')
    .values({ publication, action: 'expired', ...byNobody, ...latest })
    .onConflict((conflict) => conflict.columns(['publication', 'login', 'action']).doUpdateSet(latest))
    .execute();
}

/** It was not removed. */
export async function takeExpiryBack(rows: Rows, file: HomeFile): Promise<void> {
  const publication = await publicationNamed(rows, file);
  if (publication === undefined) return;
  await rows.deleteFrom('fetches').where('publication', '=', publication).where('action', '=', 'expired').execute();
}

/** By the name under which it was published, or the one that a login has given it since. */
async function publicationNamed(rows: Rows, { home, folder, name }: HomeFile): Promise<number | undefined> {
  const published = rows
    .selectFrom('publications')
    .select('publications.publication')
    .where('home', '=', home)
    .where('folder', '=', folder);
  const named = await published.where('publications.name', '=', name).executeTakeFirst();
  if (named) return named.publication;
  const renamed = published.innerJoin('fetches', 'fetches.publication', 'publications.publication');
  const since = renamed.where('fetches.action', '=', sql.lit('renamed')).where('fetches.name', '=', name);
  return (await since.orderBy('fetches.last_at', 'desc').executeTakeFirst())?.publication;
}

/** Names that one query asks for. */
const NAMES_AT_ONCE = 500;

/** Those of these names in the outbox of a home that a login has downloaded to the end, or given. */
export async function readFetchedNames(rows: Rows, home: string, names: readonly string[]): Promise<Set<string>> {
  const fetched = new Set<string>();
  for (const some of inGroups(names, NAMES_AT_ONCE)) {
    const ofHome = rows
      .selectFrom('publications')
      .innerJoin('fetches', 'fetches.publication', 'publications.publication')
      .where('publications.home', '=', home)
      .where('publications.folder', '=', 'outbox')
      .where('fetches.action', '!=', 'expired');
    const downloaded = await ofHome.select('publications.name').where('publications.name', 'in', some).execute();
    const renamed = ofHome.select('fetches.name').where('fetches.action', '=', sql.lit('renamed')).where('fetches.name', 'in', some);
    for (const { name } of [...downloaded, ...(await renamed.execute())]) fetched.add(name);
  }
  return fetched;
}

/** What became of a published file. */
export interface KnownFetch extends Omit<Fetch, 'home' | 'folder' | 'action' | 'atMs' | 'newName'> {
  readonly publication: number;
  readonly action: FetchAction;
  readonly firstAt: number;
  readonly lastAt: number;
}

/** All that logins did with these files, and which have expired, in the order of time. */
export async function readFetches(rows: Rows, publications: readonly number[]): Promise<KnownFetch[]> {
  if (publications.length === 0) return [];
  const found = await rows.selectFrom('fetches').selectAll().where('publication', 'in', publications).orderBy('first_at').execute();
  return found.map(({ first_at: firstAt, last_at: lastAt, ...fetch }) => ({ ...fetch, firstAt, lastAt }));
}
