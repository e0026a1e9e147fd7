// Whatever is dropped gets exactly one final receipt, nothing else is disturbed by it, and memory stays flat: a corpus of broken files, the
// official cases where they are, and a flood into one inbox. DROPGATE_BAD_FILES is the length of the flood (2,000; 100,000 in the whole, which
// also drops all official cases instead of every tenth), DROPGATE_BAD_SEED repeats a run.

import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nameText } from '#gateway/model/file-names.ts';
import { amountOf } from '../../../support/amounts.ts';
import { type BrokenFile, brokenFiles, flood } from '../../../support/broken-files.ts';
import { conformanceFile, hasConformance } from '../../../support/conformance.ts';
import { SELLER_AND_BUYER, startDaemon, type TestDaemon } from '../../../support/daemon.ts';
import { invoice, SELLER } from '../../../support/documents.ts';
import { randomOf } from '../../../support/random.ts';
import { stagedIn } from '../../../support/staged.ts';
import { until } from '../../../support/until.ts';

const FLOOD = amountOf('DROPGATE_BAD_FILES');
const SEED = Number(process.env.DROPGATE_BAD_SEED ?? Date.now() % 1_000_000);
const IS_LONG = FLOOD > 2_000;
/** Between the broken ones, so often a good one. */
const GOOD_EVERY = 25;
const WITHIN_MS = 600_000 + FLOOD * 60;
const LOOK_EVERY_MS = 100;
/** Of a hundred thousand a few have another receiver, by chance. */
const LOOKED_UP_MAX = 50;
/** What a heap may grow by between the first thousands of files and the last. */
const GROWTH_MAX = 400 * 2 ** 20;

/** Sends from an address that no official case is sent from: all of them are somebody else's documents. */
const OTHER = { accountRegNo: 'other', participants: ['0088:7300010000032'], login: 'other' };

const FINAL: ReadonlySet<string> = new Set(['accepted', 'refused', 'duplicate', 'held', 'cancelled']);

interface Dropped extends BrokenFile {
  readonly isGood: boolean;
}

describe(`Bad input (seed ${SEED})`, () => {
  const random = randomOf(SEED);
  let daemon: TestDaemon;
  /** Files whose receiver was changed into one that nobody knows: they are looked up for 20 hours, and their droppers were told. */
  const lookedUp = new Set<string>();
  let goods = 0;
  let serial = 0;

  beforeAll(async () => {
    daemon = await startDaemon({
      accounts: [...SELLER_AND_BUYER, OTHER],
      config: {
        core: { listen: '127.0.0.1:0', requests: 10_000_000 },
        gateway: { settle: '100ms', rescan: '1s', incomplete: '1s' },
        sftp: { listen: '127.0.0.1:0', itemsPerAccountMax: 1_000_000 },
      },
    });
  });
  afterAll(async () => {
    await daemon[Symbol.asyncDispose]();
  });

  /** Mixes good ones in; each good one is a document of its own. */
  function* mixed(files: Iterable<BrokenFile>, sender = SELLER): Generator<Dropped> {
    let at = 0;
    for (const file of files) {
      yield { ...file, isGood: false };
      if (++at % GOOD_EVERY === 0) yield goodOne(sender);
    }
    yield goodOne(sender);
  }

  function goodOne(sender: string): Dropped {
    const id = `good-${++goods}`;
    return { name: Buffer.from(`${id}.xml`), bytes: invoice({ id, sender }), isRefused: false, isGood: true };
  }

  /** Puts them into the inbox as a program on the same machine does: written under another name, and renamed. Returns how many there are by name. */
  function drop(files: Iterable<Dropped>, account = 'seller'): Map<string, Dropped> {
    const dropped = new Map<string, Dropped>();
    const inbox = daemon.home(account, 'inbox');
    for (const file of files) {
      const beside = join(inbox, `.writing-${++serial}`);
      writeFileSync(beside, file.bytes);
      renameSync(beside, Buffer.concat([Buffer.from(`${inbox}/`), file.name]));
      dropped.set(nameText(file.name.toString('latin1')), file);
    }
    return dropped;
  }

  const receipts = (account = 'seller'): string[] => readdirSync(daemon.home(account, 'receipts'));
  const isFinal = (name: string): boolean => FINAL.has(name.split('.').at(-2) ?? '');

  /** Waits until nothing is left to do, and returns what is wrong. Takes the receipts away. */
  async function judge(dropped: ReadonlyMap<string, Dropped>, account = 'seller'): Promise<string[]> {
    const spooled = (): string[] => readdirSync(join(daemon.data, 'spool', account));
    const isDone = async (): Promise<boolean> => {
      // Listing folders of thousands all the time would be the load.
      await pause(LOOK_EVERY_MS);
      if (inInbox(account) > 0) return false;
      const left = spooled();
      return left.length === 0 || (left.length <= LOOKED_UP_MAX && noteLookedUp(left, account));
    };
    await until('an empty inbox and spool', isDone, WITHIN_MS);
    await until('the last receipts', () => stagedIn(daemon.data).length === 0);
    return wrongOf(dropped, account);
  }
  const inInbox = (account: string): number =>
    readdirSync(daemon.home(account, 'inbox'), { withFileTypes: true, encoding: 'buffer' }).filter((entry) => entry.isFile()).length;

  /** Notes which of the files that are left are looked up; true when all are. */
  function noteLookedUp(left: readonly string[], account: string): boolean {
    const delayed = receipts(account).filter((name) => name.includes('.delayed.'));
    for (const name of delayed) lookedUp.add(JSON.parse(daemon.read(account, 'receipts', name).toString()).file);
    return left.every((name) => lookedUp.has(name.slice(name.lastIndexOf('~') + 1)));
  }

  function wrongOf(dropped: ReadonlyMap<string, Dropped>, account: string): string[] {
    const stages = new Map<string, string[]>();
    for (const name of receipts(account).filter(isFinal)) {
      const { file, stage, message } = JSON.parse(daemon.read(account, 'receipts', name).toString());
      stages.set(file, [...(stages.get(file) ?? []), stage]);
      if (typeof message !== 'string' || message.length < 20) stages.set(file, [...(stages.get(file) ?? []), 'without a sentence']);
    }
    for (const name of receipts(account)) rmSync(join(daemon.home(account, 'receipts'), name));
    const complaints: string[] = [];
    for (const [name, { isGood, isRefused }] of dropped) {
      const told = stages.get(name) ?? [];
      stages.delete(name);
      const isLookedUp = told.length === 0 && lookedUp.has(name) && !isGood && !isRefused;
      const isRight = isLookedUp || (told.length === 1 && (isGood ? told[0] === 'accepted' : !isRefused || told[0] === 'refused'));
      if (!isRight) complaints.push(`${JSON.stringify(name)}: ${told.join(', ') || 'no receipt'}`);
    }
    for (const name of stages.keys()) complaints.push(`a receipt for ${JSON.stringify(name)}, which was not dropped`);
    return complaints;
  }

  function memory(): number {
    const resident = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${daemon.pid}/status`, 'utf8'))?.[1];
    return Number(resident) * 1_024;
  }
  const shown = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`;

  it('each of the corpus gets one final receipt, and good ones between them are accepted', { timeout: WITHIN_MS * 2 }, async () => {
    const before = memory();
    const dropped = drop(mixed(brokenFiles(random)));
    expect(await judge(dropped)).toEqual([]);
    console.log(`bad input: ${dropped.size} files of the corpus, memory ${shown(before)} before, ${shown(memory())} after, seed ${SEED}`);
  });

  it.skipIf(!hasConformance)('each official case gets one, too', { timeout: WITHIN_MS * 2 }, async () => {
    const paths = readdirSync(conformanceFile('.'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .filter((_, at) => IS_LONG || at % 10 === SEED % 10);
    const cases = paths.map(
      (path, at): BrokenFile => ({ name: Buffer.from(`case-${at}.xml`), bytes: readFileSync(path), isRefused: false }),
    );
    const dropped = drop(mixed(cases, OTHER.participants[0]), OTHER.accountRegNo);
    expect(await judge(dropped, OTHER.accountRegNo)).toEqual([]);
    console.log(`bad input: ${paths.length} official cases`);
  });

  it(`a flood of ${FLOOD} into one inbox leaves none behind, and memory stays flat`, { timeout: WITHIN_MS * 2 }, async () => {
    const files = flood(random);
    const part = Math.ceil(FLOOD / 4);
    const measured: number[] = [];
    const since = performance.now();
    for (let from = 0; from < FLOOD; from += part) {
      const some = Array.from({ length: Math.min(part, FLOOD - from) }, () => files.next().value);
      const dropped = drop(mixed(some.filter((file) => file !== undefined)));
      expect(await judge(dropped)).toEqual([]);
      measured.push(memory());
    }
    const seconds = (performance.now() - since) / 1_000;
    console.log(`bad input: flood of ${FLOOD} in ${seconds.toFixed(1)} s, memory ${measured.map(shown).join(', ')}`);
    expect((measured.at(-1) ?? 0) - (measured[0] ?? 0)).toBeLessThan(GROWTH_MAX);
  });

  it('good ones are all at the receiver, once, and nobody had to look', async () => {
    await until('all at the receiver', () => daemon.files('buyer', 'outbox').length >= goods, WITHIN_MS);
    const ids = daemon.files('buyer', 'outbox').flatMap((name) => /_(good-\d+)_/.exec(name)?.[1] ?? []);
    expect(ids.length).toBe(goods);
    expect(new Set(ids).size).toBe(goods);
    expect(daemon.facts().filter(({ level }) => level === 'error')).toEqual([]);
    expect(daemon.complaints()).toBe('');
  });

  describe('its seeded defects', () => {
    it('a receipt that is swallowed is missed', async () => {
      const dropped = drop(
        mixed(Array.from({ length: 30 }, (_, at) => ({ name: Buffer.from(`s-${at}.xml`), bytes: Buffer.from('<S/>'), isRefused: true }))),
      );
      const stolen = await until('a receipt to steal', () => receipts().find((name) => name.startsWith('s-7.xml.')));
      rmSync(join(daemon.home('seller', 'receipts'), stolen));
      expect(await judge(dropped)).toEqual(['"s-7.xml": no receipt']);
    });

    it('one that comes twice is seen', async () => {
      const dropped = drop(mixed([{ name: Buffer.from('t.xml'), bytes: Buffer.from('<T/>'), isRefused: true }]));
      const one = await until('the receipt', () => receipts().find((name) => name.startsWith('t.xml.')));
      const twin = one.replace(/\.[^.]+\.refused/, '.zzzzzzzz.refused');
      writeFileSync(join(daemon.home('seller', 'receipts'), twin), daemon.read('seller', 'receipts', one));
      expect(await judge(dropped)).toEqual(['"t.xml": refused, refused']);
    });
  });
});
