// How often the ledger is asked how many files of a home wait.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { insertItem } from '#gateway/ledger/items.ts';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import { Pending } from '#gateway/spool/pending.ts';
import { type ManualClock, manualClock } from '../../../support/clock.ts';

const HOME = 'acme';
const MAX = 1_002;

let ledger: Ledger;
let clock: ManualClock;
let asked: number;

beforeEach(async () => {
  const data = mkdtempSync(join(tmpdir(), 'dropgate-'));
  onTestFinished(() => rmSync(data, { recursive: true }));
  ledger = await openGatewayLedger(data);
  onTestFinished(() => ledger.close());
  clock = manualClock();
  asked = 0;
});

function pending(hasOtherNodes: boolean): Pending {
  const counted = {
    get read() {
      asked++;
      return ledger.read;
    },
  };
  return new Pending({ ledger: counted, inHand: { has: () => true }, clock, hasOtherNodes });
}

/** Another process has taken it. */
async function taken(item: string): Promise<void> {
  const names = { accountRegNo: HOME, home: HOME, login: 'erp', fileName: 'a.xml', spoolName: 'a.xml', mode: 'send' } as const;
  await ledger.write([], (rows) => insertItem(rows, { ...names, item, sha256: '', size: 0, receivedAt: 0, recovered: false }));
}

describe('How many files of a home wait', () => {
  it('the ledger is asked every two seconds where other nodes take some and there is ample room, and each time where there is less', async () => {
    const each = pending(true);
    for (let at = 0; at < 3; at++) await each.mustHaveRoom(HOME, MAX);
    expect(asked).toBe(1);
    for (const item of ['1', '2', '3']) await taken(item);
    clock.advance(2_000);
    for (let at = 0; at < 3; at++) await each.mustHaveRoom(HOME, MAX);
    expect(asked).toBe(4);
    await expect(each.mustHaveRoom(HOME, 3)).rejects.toThrow('inbox is full: 3 of 3 files');
  });

  it('a process that works alone counts itself', () => {
    const alone = pending(false);
    alone.add({ home: HOME, item: '1' });
    expect(alone.mustHaveRoom(HOME, 2)).toBeUndefined();
    expect(() => void alone.mustHaveRoom(HOME, 1)).toThrow('inbox is full: 1 of 1 files');
    alone.end({ home: HOME, item: '1' });
    expect(alone.mustHaveRoom(HOME, 1)).toBeUndefined();
    expect(asked).toBe(0);
  });
});
