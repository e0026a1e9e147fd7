// A program swaps the folders of its home for links, at random and as fast as it can, while all roads of the gateway lead through it: nothing
// outside of the home is read, written, moved or removed, and no document is lost.

import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readOwed } from '#gateway/ledger/publications.ts';
import { ALL_HOMES } from '#gateway/model/homes.ts';
import { HOME_FOLDERS } from '#gateway/model/rule-words.ts';
import { forgottenOriginals } from '#gateway/operate/forgotten.ts';
import { resendItem } from '#gateway/operate/resend.ts';
import { measureHome } from '#gateway/spool/home-usage.ts';
import { ifThere } from '#runtime/files/held-folder.ts';
import { invoice } from '../support/documents.ts';
import { randomOf } from '../support/random.ts';
import { until } from '../support/until.ts';
import { SESSION } from '../support/world/world.ts';
import { amount, seedOf } from './amounts.ts';
import { ACCOUNT, type HomeStage, KEY, SECRET, startHomeStage } from './home-stage.ts';

const SWAPPING_MS = amount(8_000, 600_000);
const AT_ONCE = 8;
const PLACES = [...HOME_FOLDERS, 'inbox/overwrite', '.staged'];

/** Runs in a thread of its own until it is told to stop: folder, nothing, link, nothing, folder. Behind the links lie files of the names that the folder has. */
const SWAPPER = `
  const { readdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } = require('node:fs');
  const { parentPort, workerData: { home, vault, places, secret, stop, seed } } = require('node:worker_threads');
  const stopped = new Int32Array(stop);
  const quietly = (act) => { try { return act(); } catch { return undefined; } };
  const planted = new Set();
  let state = seed;
  const draw = (count) => { state = (Math.imul(state, 1664525) + 1013904223) >>> 0; return Math.floor((state / 2 ** 32) * count); };
  while (Atomics.load(stopped, 0) === 0) {
    const place = places[draw(places.length)];
    const [path, away, behind] = [home + '/' + place, home + '/.away', vault + '/' + place.replace('/', '-')];
    if (quietly(() => (renameSync(path, away), true)) !== true) continue;
    for (const name of (quietly(() => readdirSync(away)) ?? []).slice(-20)) {
      if (name === 'overwrite' || planted.has(behind + '/' + name)) continue;
      writeFileSync(behind + '/' + name, secret);
      planted.add(behind + '/' + name);
    }
    quietly(() => symlinkSync(behind, path));
    for (let spins = draw(3_000); spins > 0; spins--) Atomics.load(stopped, 0);
    quietly(() => unlinkSync(path));
    // The watcher may have made it anew.
    while (quietly(() => (renameSync(away, path), true)) !== true) quietly(() => rmSync(path, { recursive: true }));
  }
  parentPort.postMessage([...planted]);`;

let stage: HomeStage;
beforeEach(async () => {
  stage = await startHomeStage();
});

let swapper: Worker | undefined;
afterEach(() => swapper?.terminate());

function startSwapping(seed: number): () => Promise<string[]> {
  const { vault } = stage;
  for (const place of PLACES) mkdirSync(behind(place));
  for (const place of PLACES) writeFileSync(join(behind(place), KEY), SECRET);
  const stop = new SharedArrayBuffer(4);
  const worker = new Worker(SWAPPER, {
    eval: true,
    workerData: { home: stage.inHome(), vault, places: PLACES, secret: SECRET, stop, seed },
  });
  swapper = worker;
  return async () => {
    const told = new Promise<string[]>((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
    });
    Atomics.store(new Int32Array(stop), 0, 1);
    return told;
  };
}

const behind = (place: string): string => join(stage.vault, place.replace('/', '-'));

/** Names in a folder of the home, wherever it is now. */
function namesOf(folder: string): string[] {
  try {
    return readdirSync(stage.inHome(folder));
  } catch {
    return [];
  }
}

it(`${SWAPPING_MS / 1_000} s of swapping`, async () => {
  const { world, service } = stage;
  const seed = seedOf('home-swaps');
  const draw = randomOf(seed);
  const sent: string[] = [];
  service.manners.fault = ({ method, body }) =>
    method === 'POST' && body.includes('>X-')
      ? { does: false, answers: { status: 422, body: { status: 'error', type: 'E_VALIDATION', data: '' } } }
      : undefined;
  const stop = startSwapping(seed);

  async function drop(): Promise<void> {
    const id = `${draw(0, 2) === 0 ? 'X' : 'D'}-${sent.length}`;
    sent.push(id);
    await world.drop(ACCOUNT, `${id}.xml`, invoice({ id }));
  }
  const again = (kept: string): Promise<unknown> =>
    world.gateway().intake.resend({
      home: ACCOUNT,
      folder: draw(0, 1) ? 'inbox' : 'overwrite',
      name: `again-${kept}`,
      login: 'erp',
      session: SESSION,
      kept,
    });
  /** What is refused here is no matter: only what it leads to. */
  const roads: readonly (() => unknown)[] = [
    () => again(KEY),
    () => Promise.allSettled(namesOf('refused').slice(0, 4).map(again)),
    () => world.gateway().intake.view({ home: ACCOUNT, folder: 'inbox' }, SESSION),
    () => measureHome(world.data, ACCOUNT, () => false),
    () => world.operate((on) => forgottenOriginals(on, { sinceMs: 0 })),
    () => world.operate((on) => resendItem(on, namesOf('refused')[0]?.split('.').at(-2) ?? '')),
    // This test must not be led out of the home itself.
    () => ifThere(stage.inHome(), ['inbox'], (at) => writeFileSync(at.path(`w-${sent.length}.xml`), invoice({ id: `W-${sent.length}` }))),
    () => service.arrive(ACCOUNT, Buffer.from(invoice({ id: `R-${sent.length}` }))),
  ];
  for (const endMs = performance.now() + SWAPPING_MS; performance.now() < endMs; ) {
    await Promise.all(Array.from({ length: AT_ONCE }, drop));
    for (let tries = 0; tries < 4; tries++) await Promise.allSettled([(async () => roads[draw(0, roads.length - 1)]?.())()]);
    // A start is kept off by nothing of it.
    if (draw(0, 30) === 0) await world.restart();
    world.clock.advance(draw(0, 9) === 0 ? 3_600_000 : 30_000);
  }
  const planted = await stop();

  const found = PLACES.flatMap((place) => readdirSync(behind(place)).map((name) => join(behind(place), name)));
  expect(found.sort()).toEqual([...planted, ...PLACES.map((place) => join(behind(place), KEY))].sort());
  for (const file of found) expect(readFileSync(file, 'utf8'), file).toBe(SECRET);
  expect(below(world.data).filter((file) => readFileSync(file).includes(SECRET))).toEqual([]);
  expect(service.holding.all.filter(({ bytes }) => Buffer.from(bytes).includes(SECRET))).toEqual([]);
  const mustGo = sent.filter((id) => id.startsWith('D'));
  const owed = (): Promise<unknown[]> => world.administer(({ ledger }) => readOwed(ledger.read, ALL_HOMES));
  await until('everything to be sent and published', async () => {
    world.clock.advance(60_000);
    return service.tally(ACCOUNT, mustGo).lost.length === 0 && (await owed()).length === 0;
  });
  expect(service.tally(ACCOUNT, mustGo).twice).toEqual([]);
  process.stdout.write(`home-swaps: ${sent.length} dropped, ${planted.length} files planted behind links\n`);
});

function below(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => existsSync(path) && statSync(path).isFile());
}
