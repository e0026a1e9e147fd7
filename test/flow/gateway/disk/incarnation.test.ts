// A start beside another process that works on the data folder: it leaves alone what that one is about to finish, and cleans it once it has ended.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { beginIncarnation, type Incarnation, knownIncarnations, livingIncarnations } from '#gateway/disk/incarnation.ts';
import { homeFolder, receivingFolder, stagingFolder } from '#gateway/disk/paths.ts';
import { receivingPath, spoolName } from '#gateway/disk/spool-files.ts';
import { systemRandom } from '#runtime/clock.ts';
import { calm } from '../../../support/calm.ts';
import { invoice } from '../../../support/documents.ts';
import { obliging, type ScriptedService } from '../../../support/scripted-service.ts';
import { until } from '../../../support/until.ts';
import { scripted } from '../../../support/world/services.ts';
import { startWorld, type World } from '../../../support/world/world.ts';

const HOME = 'acme-ab';
const ITEM = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const UPLOAD = '01ARZ3NDEKTSV4RRFFQ69G5FAW';
const INBOX = { home: HOME, folder: 'inbox' } as const;

let world: World<ScriptedService>;
let service: ScriptedService;
let other: Incarnation;
let isEnded: boolean;

beforeEach(async () => {
  world = await startWorld(scripted(obliging), { accounts: { [HOME]: 'key' } });
  ({ service } = world);
  other = await beginIncarnation(world.data, systemRandom);
  isEnded = false;
});
afterEach(async () => {
  if (!isEnded) end();
});

function end(): void {
  other[Symbol.dispose]();
  isEnded = true;
}
const spooled = (): string => join(world.data, 'spool', HOME, spoolName({ item: ITEM, mode: 'send', name: 'a.xml' }));
const staged = (): string[] => [
  join(stagingFolder(world.data, other.id), 'RECEIPT'),
  join(homeFolder(world.data, HOME), '.staged', `${other.id}~RECEIPT`),
];
const upload = (): string =>
  receivingPath(world.data, other.id, { ...INBOX, upload: UPLOAD, state: 'waiting', login: 'erp', name: 'b.xml.part' });
const copy = (): string => join(receivingFolder(world.data, other.id), `${ITEM}.copy`);
const isThere = (path: string): boolean => existsSync(path);

function leaveAll(): void {
  for (const folder of [stagingFolder(world.data, other.id), dirname(upload())]) mkdirSync(folder, { recursive: true });
  for (const path of [spooled(), ...staged(), upload(), copy()]) writeFileSync(path, invoice());
}
const seen = () => world.gateway().intake.find(INBOX, 'b.xml.part', 'a session');
const folders = (): string[] => ['incarnations', 'staged', 'spool/receiving'].flatMap((name) => readdirSync(join(world.data, name)));

describe('what another process has not finished', () => {
  it('is its own as long as it lives; a file in the spool without a row is adopted after a minute', async () => {
    leaveAll();
    await world.restart();
    expect([...staged(), upload(), copy()].filter(isThere)).toHaveLength(4);
    expect(await seen()).toBeNull();
    for (let seconds = 0; seconds < 55; seconds += 5) {
      world.clock.advance(5_000);
      await calm();
    }
    expect(service.creates()).toHaveLength(0);
    world.clock.advance(5_000);
    await until('its receipt', () => world.files(HOME, 'receipts').length === 1);
    expect(service.creates()).toHaveLength(1);
  });

  it('is cleaned once that has ended, its uploads are taken over, and its file in the spool is adopted at once', async () => {
    leaveAll();
    const { id } = other;
    const left = [...staged(), upload(), copy()];
    end();
    await world.restart();
    expect(left.filter(isThere)).toEqual([]);
    expect(await seen()).toMatchObject({ state: 'waiting' });
    await until('its receipt', () => world.files(HOME, 'receipts').length === 1);
    expect(folders()).not.toContain(id);
    // What this process has brought into its own folder is brought from there by the next one.
    await world.restart();
    expect(await seen()).toMatchObject({ state: 'waiting' });
    expect(knownIncarnations(world.data).size).toBe(1);
    expect(readdirSync(join(world.data, 'spool', 'receiving'))).toHaveLength(1);
  });

  it.each([
    { what: 'of all', below: '' },
    { what: 'of each process', below: 'ENDED' },
  ])('may be of a version that had one folder for the uploads $what', async ({ below }) => {
    const left = [join(world.data, 'staged', 'RECEIPT'), join(world.data, 'spool', 'receiving', `${ITEM}.copy`)];
    for (const path of left) writeFileSync(path, 'half');
    mkdirSync(receivingFolder(world.data, below), { recursive: true });
    writeFileSync(join(receivingFolder(world.data, below), basename(upload())), invoice());
    await world.restart();
    expect(left.filter(isThere)).toEqual([]);
    expect(await seen()).toMatchObject({ state: 'waiting' });
  });
});

it('leaves nothing behind that has nothing to leave', () => {
  const { id } = other;
  expect([...livingIncarnations(world.data)]).toContain(id);
  // Empty folders of homes are nothing.
  mkdirSync(dirname(upload()), { recursive: true });
  end();
  expect(folders()).not.toContain(id);
  expect([...livingIncarnations(world.data)]).not.toContain(id);
});

it('is not what a file server keeps of what was removed while it was open', async () => {
  const kept = join(world.data, 'incarnations', '.nfs000000000001');
  writeFileSync(kept, 'a lock');
  await world.restart();
  expect([...livingIncarnations(world.data)]).not.toContain('.nfs000000000001');
  expect(isThere(kept)).toBe(true);
});

it('has ended when its process was killed', async () => {
  const begin = `import { beginIncarnation } from '#gateway/disk/incarnation.ts';
import { systemRandom } from '#runtime/clock.ts';
const begun = await beginIncarnation(${JSON.stringify(world.data)}, systemRandom);
console.log(begun.id);
// Used by what runs on: a lock that nothing refers to any more is collected, and released.
setInterval(() => begun.id, 1_000);`;
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', begin], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(child.stdout, 'data');
  const id = String(line).trim();
  expect([...livingIncarnations(world.data)]).toContain(id);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect([...livingIncarnations(world.data)]).not.toContain(id);
});
