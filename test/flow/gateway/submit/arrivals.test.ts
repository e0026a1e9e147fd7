// Items that are rung for come behind those that have to be queued before them, whatever has failed before.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, it, onTestFinished } from 'vitest';
import { AppError } from '#domain/error.ts';
import { itemIds } from '#domain/id.ts';
import { insertItem } from '#gateway/ledger/items.ts';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import { leaveRing } from '#gateway/ledger/rings.ts';
import { Arrivals } from '#gateway/submit/arrivals.ts';
import { TakenElsewhere } from '#gateway/submit/taken-elsewhere.ts';
import { systemRandom } from '#runtime/clock.ts';
import { manualClock } from '../../../support/clock.ts';

const HOME = 'acme-ab';

it('what other nodes have taken comes again where the item that followed it could not be read', async () => {
  const folder = mkdtempSync(`${tmpdir()}/dropgate-arrivals-`);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const ledger = await openGatewayLedger(folder);
  onTestFinished(() => ledger.close());
  const clock = manualClock();
  const newId = itemIds(clock.now, systemRandom);
  const [first, second, third, fourth] = [newId(), newId(), newId(), newId()];
  await ledger.write([], async (rows) => {
    for (const item of [first, second, third, fourth]) {
      const names = { item, accountRegNo: HOME, home: HOME, login: null, fileName: 'a.xml', spoolName: item, mode: 'send' as const };
      await insertItem(rows, { ...names, sha256: item, size: 1, receivedAt: clock.now(), recovered: false });
    }
    for (const id of [first, second]) await leaveRing(rows, { home: HOME, topic: 'submit', id });
  });
  let isAway = true;
  /** The session by which the item itself is asked for is lost, and that of the other question is not. */
  const lost = new Proxy(ledger.read, {
    get() {
      throw new AppError('storage', 'The database does not answer.', { facts: { isAway } });
    },
  });
  const rung = new Arrivals({
    ledger: {
      get read() {
        return isAway ? lost : ledger.read;
      },
    },
    releases: { use: () => false },
    elsewhere: new TakenElsewhere(ledger),
  });
  const read = async (item: string): Promise<string[]> => (await rung.read(item)).map((each) => each.item);
  await expect(read(third)).rejects.toThrow('does not answer');
  // Let the other half of it end.
  await ledger.write([], async () => undefined);
  isAway = false;
  expect(await read(fourth)).toEqual([first, second, third, fourth]);
  expect(await read(fourth)).toEqual([fourth]);
});
