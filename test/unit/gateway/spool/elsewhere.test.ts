// What is read of other nodes' uploads when one name of one home is asked for: nothing of other homes, however many lie there.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { incarnationId, itemIds } from '#domain/id.ts';
import { receivingPath } from '#gateway/disk/spool-files.ts';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import type { DropFolder } from '#gateway/model/intake.ts';
import { Elsewhere } from '#gateway/spool/elsewhere.ts';
import { systemRandom } from '#runtime/clock.ts';

const CROWDED = { home: 'crowded', folder: 'inbox' } as const;
const VICTIM = { home: 'victim', folder: 'inbox' } as const;
/** As many as an account may have unfinished at a node. */
const FILES = 10_000;
const OTHER = incarnationId(systemRandom);
const newId = itemIds(Date.now, systemRandom);

let data: string;
let elsewhere: Elsewhere;

beforeEach(async () => {
  data = fs.mkdtempSync(join(tmpdir(), 'dropgate-'));
  onTestFinished(() => fs.rmSync(data, { recursive: true }));
  const ledger = await openGatewayLedger(data);
  onTestFinished(() => ledger.close());
  elsewhere = new Elsewhere({ data, incarnation: incarnationId(systemRandom), ledger });
});

function waits(place: DropFolder, name: string): void {
  const path = receivingPath(data, OTHER, { upload: newId(), state: 'waiting', ...place, login: 'erp', name });
  fs.mkdirSync(dirname(path), { recursive: true });
  fs.writeFileSync(path, '');
}

/** What is asked of the file system meanwhile: names that it lists, and files that it looks at. */
async function askedBy(work: () => Promise<unknown>): Promise<{ listed: number; looked: number }> {
  const asked = { listed: 0, looked: 0 };
  const { readdir, stat } = fs.promises;
  function replace(functions: object): void {
    Object.assign(fs.promises, functions);
    syncBuiltinESMExports();
  }
  replace({
    async readdir(...given: Parameters<typeof readdir>) {
      const names = await readdir(...given);
      asked.listed += names.length;
      return names;
    },
    stat(...given: Parameters<typeof stat>) {
      asked.looked++;
      return stat(...given);
    },
  });
  try {
    await work();
  } finally {
    replace({ readdir, stat });
  }
  return asked;
}

it('a name of a home is looked for without reading what others have unfinished, and without looking at other files of the home', async () => {
  for (let at = 0; at < FILES; at++) waits(CROWDED, `${at}.xml.tmp`);
  waits(VICTIM, 'a.xml.tmp');
  expect(await askedBy(async () => expect(await elsewhere.find(VICTIM, 'missing.xml')).toBeUndefined())).toEqual({ listed: 2, looked: 0 });
  expect(await askedBy(async () => expect(await elsewhere.list(VICTIM)).toHaveLength(1))).toEqual({ listed: 2, looked: 1 });
  expect(await askedBy(() => elsewhere.find(CROWDED, '7.xml.tmp'))).toEqual({ listed: FILES + 1, looked: 1 });
  expect(await elsewhere.find(VICTIM, 'a.xml.tmp')).toMatchObject({ ...VICTIM, state: 'waiting' });
});
