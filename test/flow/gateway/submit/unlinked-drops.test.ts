// Files that lie in an inbox whose link has ended: each is taken, held with a receipt that says what to do, and sent when the link is back
// and a person says so.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Receipt } from '#domain/receipt.ts';
import { homeFolder } from '#gateway/disk/paths.ts';
import { setServed } from '#gateway/operate/account-rules.ts';
import { linkChild, putPartner, removePartner, unlinkChild } from '#gateway/operate/partners.ts';
import { resendHeld, resendItem } from '#gateway/operate/resend.ts';
import { invoice } from '../../../support/documents.ts';
import { partnerStage } from '../../../support/partner-stage.ts';
import { ADDRESSES, KEY, PARTNER, STRANGER } from '../../../support/world/partner.ts';

const MINUTE_MS = 60_000;
const [, TWO] = ADDRESSES;

const firm = partnerStage();
const { start, advance, inTime, stages, events, accepted } = firm;

const inbox = (home: string, name: string): string => join(homeFolder(firm.world.data, home), 'inbox', name);
/** As a program on the same machine does. */
const leave = (home: string, id: string): void => writeFileSync(inbox(home, `${id}.xml`), invoice({ id, sender: TWO, receiver: STRANGER }));

async function unlink(): Promise<void> {
  const changes = events('accounts.changed').length;
  await firm.world.administer((on) => unlinkChild(on, PARTNER, 'child-2', 'erp'));
  await inTime('the change', () => events('accounts.changed').length > changes, 500);
}

async function held(home: string, id: string): Promise<Receipt> {
  await inTime(`${id} held`, () => stages(home, `${id}.xml`).includes('held'));
  expect(existsSync(inbox(home, `${id}.xml`))).toBe(false);
  expect(firm.service.holding.all).toEqual([]);
  return firm.world.receipt(home, `${id}.xml`, 'held');
}

/** Returns how many files of it are held. */
async function linkAgain(): Promise<number> {
  const changes = events('accounts.changed').length;
  const linked = await firm.world.administer((on) => linkChild(on, { partnerRegNo: PARTNER, accountRegNo: 'child-2' }));
  await inTime('the link', () => events('accounts.changed').length > changes, 500);
  return linked.held;
}

async function sentOnce(home: string, id: string): Promise<void> {
  const [receipt = ''] = firm.world.files(home, 'receipts').filter((name) => name.startsWith(`${id}.xml.`));
  await firm.world.operate((on) => resendItem(on, receipt.split('.').at(-3) ?? ''));
  await inTime(`${id} sent`, () => stages(home, `${id}.xml`).includes('accepted'));
  expect(stages(home, `${id}.xml`).sort()).toEqual(['accepted', 'held']);
  expect(firm.service.tally('child-2', [id])).toEqual({ lost: [], twice: [] });
}

describe('in the home of a child that is linked no more', () => {
  it('a file that is left there is held, and sent once when the link is back', async () => {
    await start();
    await unlink();
    leave('child-2', 'B');
    const receipt = await held('child-2', 'B');
    expect(receipt).toMatchObject({ accountRegNo: 'child-2', action: 'wait', code: 'account-unlinked' });
    expect(receipt.message).toMatch(/^Nobody here may act for account child-2 any more, .*the administrator sends it on its way/);
    await linkAgain();
    await sentOnce('child-2', 'B');
  });

  it('a file is not said to be on its way again while the link is not back', async () => {
    await start();
    await unlink();
    leave('child-2', 'B');
    await held('child-2', 'B');
    const resent: (string | null)[] = [];
    await firm.world.operate(async (on) => {
      for await (const { problem } of resendHeld(on, 'child-2')) resent.push(problem);
    });
    expect(resent).toEqual([expect.stringMatching(/^Nobody here may act for account child-2, .*'dropgate partner link'/)]);
    expect(stages('child-2', 'B.xml')).toEqual(['held']);
  });

  it('a file that still settled when the link ended is held', async () => {
    await start();
    leave('child-2', 'B');
    await unlink();
    await held('child-2', 'B');
  });

  it('an upload that ends after the link is held', async () => {
    await start();
    await unlink();
    await firm.world.drop('child-2', 'B.xml', invoice({ id: 'B', sender: TWO, receiver: STRANGER }));
    await held('child-2', 'B');
  });

  it('files from before a start, in inbox and inbox/overwrite, are held by it', async () => {
    await start();
    await firm.world.stop();
    await firm.world.administer((on) => unlinkChild(on, PARTNER, 'child-2', 'erp'));
    leave('child-2', 'B');
    leave('child-2', 'overwrite/C');
    await firm.world.restart();
    await held('child-2', 'B');
    await inTime('the other', () => stages('child-2', 'C.xml').includes('held'));
  });

  it('nothing of one that is disabled is touched', async () => {
    await start();
    await unlink();
    await firm.world.administer((on) => setServed(on, 'child-2', false));
    await inTime('the change', () => events('accounts.changed').length > 1, 500);
    leave('child-2', 'B');
    for (let minutes = 0; minutes < 3; minutes++) advance(MINUTE_MS);
    await accepted('child-1', 'A', ADDRESSES[0]);
    expect(existsSync(inbox('child-2', 'B.xml'))).toBe(true);
    expect(firm.world.files('child-2', 'receipts')).toEqual([]);
  });
});

describe('in one home for all children', () => {
  it('a file of a child that is linked no more is held, and sent once when the link is back', async () => {
    await start({ consolidated: true });
    leave(PARTNER, 'before');
    await unlink();
    leave(PARTNER, 'after');
    await held(PARTNER, 'before');
    const receipt = await held(PARTNER, 'after');
    expect(receipt).toMatchObject({ accountRegNo: 'child-2', action: 'wait' });
    expect(await linkAgain()).toBe(2);
    const resent: unknown[] = [];
    await firm.world.operate(async (on) => {
      for await (const { found, problem } of resendHeld(on, 'child-2')) resent.push([found.documentId, problem]);
    });
    expect(resent).toEqual([
      ['before', null],
      ['after', null],
    ]);
    await inTime('both sent', () => ['before.xml', 'after.xml'].every((name) => stages(PARTNER, name).includes('accepted')));
    expect(firm.service.tally('child-2', ['before', 'after'])).toEqual({ lost: [], twice: [] });
  });

  it('what is left there after the partner was removed is held, and sent when it is back', async () => {
    await start({ consolidated: true });
    for (const child of ['child-1', 'child-2', 'child-3']) await firm.world.administer((on) => unlinkChild(on, PARTNER, child, 'erp'));
    await firm.world.administer((on) => removePartner(on, PARTNER));
    await inTime('the change', () => events('accounts.changed').length > 0, 500);
    leave(PARTNER, 'B');
    const receipt = await held(PARTNER, 'B');
    expect(receipt).toMatchObject({ accountRegNo: PARTNER, action: 'wait' });
    await firm.world.administer((on) => putPartner(on, { partnerRegNo: PARTNER, serviceKey: KEY, consolidated: true, login: 'erp' }));
    await linkAgain();
    await sentOnce(PARTNER, 'B');
  });
});
