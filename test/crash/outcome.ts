// What everybody has in the end: the ERPs at both ends, the core, the gateway. Two runs of a scenario must not differ in it, whatever
// happened to one of them on the way.
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { arrivedAt, type World } from '../support/faults/world.ts';
import { stagedIn } from '../support/staged.ts';
import { until } from '../support/until.ts';
import { ACCOUNTS, HOMES } from './people.ts';

export interface Outcome {
  /** Contents that came to anybody, one for each file. */
  readonly arrived: readonly string[];
  /** Files that the buyer had taken, and that are there again. */
  readonly again: readonly string[];
  /** Documents in the core, as accounts have sent and got them. */
  readonly sent: readonly string[];
  readonly received: readonly string[];
  /** Of each file that was dropped, as HOME/NAME: the stages of each item that came of it. */
  readonly receipts: Readonly<Record<string, readonly string[]>>;
  /** Originals in accepted/ and refused/, and suggested repairs, by the HOME/NAME under which they were dropped. */
  readonly originals: Readonly<Record<string, readonly string[]>>;
  /** What should not be left anywhere. */
  readonly leftovers: readonly string[];
}

/** Waits until nothing is owed any more, and tells what everybody has. */
export async function outcomeOf(world: World): Promise<Outcome> {
  await settled(world);
  const outbox = world.files('buyer', 'outbox');
  const receipts: Record<string, Map<string, string[]>> = {};
  for (const name of inHomes(world, 'receipts')) {
    const [, file = name, item = '', stage = ''] = /^(.+)\.(\w{8})\.(\w+)\.(?:json|txt)$/.exec(name) ?? [];
    receipts[file] ??= new Map();
    receipts[file].set(item, [...(receipts[file].get(item) ?? []), stage]);
  }
  const stages = ([file, items]: [string, Map<string, string[]>]): [string, string[]] => [
    file,
    [...items.values()].map((each) => each.sort().join('+')).sort(),
  ];
  return {
    arrived: HOMES.flatMap((home) => [...arrivedAt(world, home).values()].map((bytes) => `${home}/${digest(bytes)}`)).sort(),
    again: outbox.filter((name) => world.taken.has(name)),
    sent: await messages(world, 'outgoing'),
    received: await messages(world, 'incoming'),
    receipts: Object.fromEntries(Object.entries(receipts).map(stages)),
    originals: {
      accepted: dropped(world, 'accepted', ORIGINAL),
      refused: dropped(world, 'refused', ORIGINAL),
      suggested: dropped(world, 'refused', SUGGESTION),
    },
    leftovers: await settled(world),
  };
}

/**
 * What is wrong with `actual`, or null. While the upload of `repeated` was under way nobody knew whether it had arrived, so its ERP sent it
 * again: then there may be two items of that name, of which one ended like the undisturbed one, and the other found that first.
 */
export function difference(expected: Outcome, actual: Outcome, repeated: string | null): string | null {
  const { receipts: expectedReceipts, originals: expectedOriginals, ...expectedRest } = expected;
  const { receipts, originals: actualOriginals, ...rest } = actual;
  const wrong = Object.keys(expectedRest).flatMap((key) => {
    const [before, after] = [Reflect.get(expectedRest, key), Reflect.get(rest, key)].map((each) => JSON.stringify(each));
    return before === after ? [] : [`${key}: ${after} instead of ${before}`];
  });
  for (const file of new Set([...Object.keys(expectedReceipts), ...Object.keys(receipts)])) {
    const left = without(receipts[file] ?? [], expectedReceipts[file] ?? []);
    const extra = file === repeated && left?.every((each) => AGAIN.has(each)) ? 1 : 0;
    if (!left || left.length > extra) wrong.push(`receipts of ${file}: ${receipts[file]} instead of ${expectedReceipts[file]}`);
  }
  for (const [folder, names] of Object.entries(expectedOriginals)) {
    const left = without(actualOriginals[folder] ?? [], names);
    if (!left || left.length > 1 || left.some((name) => name !== repeated)) {
      wrong.push(`${folder}: ${actualOriginals[folder]} instead of ${names}`);
    }
  }
  return wrong.length === 0 ? null : wrong.join('; ');
}

/** The outcome without what was said of delays. */
export function withoutDelays({ receipts, ...rest }: Outcome): Outcome {
  const ended = (stages: string): string =>
    stages
      .split('+')
      .filter((stage) => stage !== 'delayed')
      .join('+');
  return { ...rest, receipts: Object.fromEntries(Object.entries(receipts).map(([file, items]) => [file, items.map(ended)])) };
}

/** How the second of two items of one content may end, held before or not; or the first of two tests, told of in one form or in both. */
const AGAIN = new Set([
  ...['accepted', 'accepted+delivered', 'duplicate', 'refused'].flatMap((end) => [end, [...end.split('+'), 'held'].sort().join('+')]),
  'tested',
  'tested+tested',
]);

/** What is in `all` besides `some`; null when not all of `some` is. */
function without(all: readonly string[], some: readonly string[]): string[] | null {
  const left = [...all];
  for (const each of some) {
    const at = left.indexOf(each);
    if (at < 0) return null;
    left.splice(at, 1);
  }
  return left;
}

const ORIGINAL = /\.\w{8}(?=\.xml$)/;
const SUGGESTION = /\.\w{8}\.suggested(?=\.xml$)/;

/** The names of what was dropped, of the files that are called so. */
function dropped(world: World, folder: string, called: RegExp): string[] {
  return inHomes(world, folder)
    .filter((name) => called.test(name))
    .map((name) => name.replace(called, ''))
    .sort();
}

/** What is left after a while; a receipt that turns out to have been written may be there for a moment. */
async function settled(world: World): Promise<string[]> {
  let left = leftovers(world);
  const isNothing = (): boolean => {
    left = leftovers(world);
    return left.length === 0;
  };
  await until('nothing to be owed', isNothing, world.patienceMs).catch(() => undefined);
  return left;
}

/** Committed files in the spool, staged files, and orders that are to be answered. What is broken or was never closed may wait for a resume. */
function leftovers(world: World): string[] {
  const spooled = readdirSync(join(world.data, 'spool'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const moved = readdirSync(join(world.data, 'homes'), { recursive: true, encoding: 'utf8' }).filter((path) =>
    /\/answer\/.*xml$/.test(path),
  );
  const staged = [...stagedIn(world.data), ...inHomes(world, '.staged')];
  return [...spooled.map(({ name }) => name).filter((name) => /^[0-9A-Z]{26}~(?![pb]~)/.test(name)), ...staged, ...moved];
}

async function messages(world: World, direction: string): Promise<string[]> {
  const all = await Promise.all(ACCOUNTS.map((account) => messagesOf(world, account, direction)));
  return all.flat().sort();
}

async function messagesOf(world: World, account: string, direction: string): Promise<string[]> {
  const headers = { authorization: `ApiKey ${world.apiKey(account)}`, accept: 'application/json' };
  const response = await fetch(`${world.coreUrl}/transaction/${account}/invoices/${direction}?limit=100&includeRead=true`, { headers });
  // An account that was erased has no key; who comes back has another.
  if (response.status === 204 || response.status === 401) return [];
  return listOf<{ Invoice: { ID: { _: string } } }>(await response.json()).map(({ Invoice }) => `${account}/${Invoice.ID._}`);
}

/** HOME/NAME of each file in a folder that every home has. */
function inHomes(world: World, folder: string): string[] {
  return HOMES.flatMap((home) => world.files(home, folder).map((name) => `${home}/${name}`));
}

/** But for the day, which is that of the run for what the gateway writes. */
function digest(bytes: Buffer): string {
  const text = bytes.toString('latin1').replace(/<cbc:IssueDate>[^<]*/, '');
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
function listOf<Item>(body: any): Item[] {
  return body.data;
}
