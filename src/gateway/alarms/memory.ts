// What the gateway's watchers remember across restarts: a small file in `alarms/`. It is written at the beginning of the next look, when the
// alarms of the last one are on disk, so that a crash repeats an alarm rather than losing it. Nodes share the file: one node watches, and its
// successor continues from the file.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { Rhythms, type UsualRhythm } from '#gateway/model/rhythm.ts';
import { type Check, ensureFolder, makeOnce, replaceDurable } from '#runtime/files/durable.ts';
import { readJson } from '#runtime/files/json-file.ts';

const FORM = Type.Object({
  /** Up to which publication refusals were looked for. */
  publication: Type.Number(),
  /** Up to when arrivals were noted. */
  notedUntil: Type.Optional(Type.Number()),
  rhythms: Type.Optional(
    Type.Object({
      day: Type.Number(),
      holidays: Type.Number(),
      accounts: Type.Record(Type.String(), Type.String()),
      told: Type.Optional(Type.Record(Type.String(), Type.Number())),
    }),
  ),
  /** By account and family, what the silences of the service had lasted in sum when this one began. */
  silences: Type.Optional(Type.Record(Type.String(), Type.Number())),
});

type Remembered = Static<typeof FORM>;

const form = Compile(FORM);

export class Memory {
  readonly #folder: string;
  #now: Remembered;
  #written: string;
  readonly #check: Check;
  #hasBegun = false;

  private constructor(folder: string, now: Remembered, written: string, check: Check) {
    this.#folder = folder;
    this.#now = now;
    this.#written = written;
    this.#check = check;
  }

  /**
   * Where nothing can be read it begins, on disk at once, with the last publication so far. The ledger may have begun anew, or come from a backup: what it
   * numbers from now on is new, so no more is taken for told than it has. To be opened before anything is published.
   */
  static async open(data: string, lastPublication: () => Promise<number>, check: Check): Promise<Memory> {
    const folder = join(data, 'alarms');
    const found = rememberedIn(folder);
    const last = await lastPublication();
    if (found !== null && found.publication <= last) return new Memory(folder, found, JSON.stringify(found), check);
    const begun = { ...found, publication: last };
    const text = JSON.stringify(begun);
    // By link: nodes that start together begin with the same.
    if (existsSync(pathIn(folder))) rmSync(pathIn(folder));
    await makeOnce(pathIn(ensureFolder(folder)), Buffer.from(text));
    return new Memory(folder, begun, text, check);
  }

  get now(): Remembered {
    return this.#now;
  }

  /** Of nodes, this one watches from now on: another may have written it since it was opened here. */
  begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    const found = rememberedIn(this.#folder);
    if (found === null) return;
    this.#now = found;
    this.#written = JSON.stringify(found);
  }

  note(facts: Partial<Remembered>): void {
    this.#now = { ...this.#now, ...facts };
  }

  async keep(): Promise<void> {
    const text = JSON.stringify(this.#now);
    if (text === this.#written) return;
    ensureFolder(this.#folder);
    await replaceDurable(pathIn(this.#folder), Buffer.from(text), { check: this.#check });
    this.#written = text;
  }
}

/** How an account usually sends, as the watchers had learnt it at their last look but one; null where they know of no rhythm. */
export function usualRhythm(data: string, accountRegNo: string): UsualRhythm | null {
  const rhythms = rememberedIn(join(data, 'alarms'))?.rhythms;
  const days = rhythms?.accounts[accountRegNo];
  if (!rhythms || days === undefined) return null;
  return new Rhythms({ ...rhythms, accounts: { [accountRegNo]: days } }).usualOf(accountRegNo);
}

function pathIn(folder: string): string {
  return join(folder, 'gateway.json');
}

function rememberedIn(folder: string): Remembered | null {
  const found = readJson(pathIn(folder));
  return form.Check(found) ? found : null;
}
