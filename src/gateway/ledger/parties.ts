// Participants of the documents that were read here, with the names that documents gave them: by these, a person finds documents.
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { beginsWith, contains, inRange } from '#engines/contains.ts';
import { LruCache } from '#runtime/cache.ts';
import { Gathered, type GatheredParts } from './gathered.ts';
import type { Rows } from './schema.ts';

/** Parties that need not be written again. */
const KNOWN_MAX = 20_000;
/** Names that one participant may have: documents can tell any. */
const NAMES_MAX = 20;

interface Party {
  readonly participant: string;
  /** '' where none was told. */
  readonly name: string;
}

/** What a document tells of its parties. */
interface Told {
  readonly sender: string;
  readonly receiver: string;
  readonly names: { readonly sender: readonly string[]; readonly receiver: readonly string[] };
}

/** Notes parties beside the work. One that a crash loses is noted with its next document. */
export class PartyBook implements AsyncDisposable {
  readonly #known = new LruCache<true>(KNOWN_MAX);
  readonly #gathered: Gathered<Party>;

  constructor(parts: GatheredParts) {
    this.#gathered = new Gathered(parts, { keyOf, keep: keepParty, unkept: 'party.unkept' });
  }

  note({ sender, receiver, names }: Told): void {
    for (const name of ['', ...names.sender]) this.#note({ participant: sender, name });
    for (const name of ['', ...names.receiver]) this.#note({ participant: receiver, name });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#gathered[Symbol.asyncDispose]();
  }

  #note(party: Party): void {
    const key = keyOf(party);
    if (this.#known.get(key)) return;
    this.#known.put(key, true);
    this.#gathered.add(party);
  }
}

function keyOf({ participant, name }: Party): string {
  return `${participant} ${name}`;
}

export async function keepParty(rows: Rows, { participant, name }: Party): Promise<void> {
  const known = await rows.selectFrom('parties').select('name').where('participant', '=', participant).limit(NAMES_MAX).execute();
  if (known.length === NAMES_MAX) return;
  await rows
    .insertInto('parties')
    .values({ participant, name })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Participants that begin with the text, with or without their scheme, or have a name that does; `part`: that have it in them anywhere. */
export async function readParticipantsLike(rows: Rows, text: string, how: 'start' | 'part', limit: number): Promise<string[]> {
  const [participant, name] = [sql.ref<string>('participant'), sql.ref<string>('name')];
  const conditions: RawBuilder<SqlBool>[] =
    how === 'part'
      ? [contains(participant, text), contains(name, text)]
      : [inRange(participant, text), inRange(sql`substr(participant, 6)`, text), beginsWith(name, text)];
  const found = new Set<string>();
  for (const condition of conditions) {
    const some = await rows.selectFrom('parties').select('participant').distinct().where(condition).limit(limit).execute();
    for (const each of some) found.add(each.participant);
  }
  return [...found].slice(0, limit);
}
