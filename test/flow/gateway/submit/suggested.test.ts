// Suggested repairs: beside a refused document the same with its forms repaired, for accounts that want it. It is sent when a person moves it, and not before.
import { renameSync, unlinkSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { changeAccount } from '#gateway/operate/account-rules.ts';
import { resendItem } from '#gateway/operate/resend.ts';
import { measureHome } from '#gateway/spool/home-usage.ts';
import { invoice } from '../../../support/documents.ts';
import { type Change, changed } from '../../../support/judged.ts';
import { created } from '../../../support/scripted-service.ts';
import { scripted } from '../../../support/world/services.ts';
import { startWorld, type World } from '../../../support/world/world.ts';

const ACCOUNT = 'acme-ab';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const RIGHT = invoice({ issueDate: '2026-05-31' });
const SLIP: Change = [/2026-05-31/, '31.05.2026'];
const CHANGES = [{ path: '/Invoice/cbc:IssueDate', from: '31.05.2026', to: '2026-05-31' }];

let world: World;
let sent: string[];

async function start(repair: 'suggest' | null): Promise<void> {
  sent = [];
  world = await startWorld(
    scripted(({ method, body }) => {
      if (method !== 'POST') return { status: 204 };
      sent.push(body.toString());
      return created();
    }),
    { hinted: false },
  );
  await world.administer((on) => changeAccount(on, ACCOUNT, { validate: 'local', repair }));
  await world.gateway().refreshAccounts();
}

async function refused(name: string, bytes: Uint8Array) {
  await world.drop(ACCOUNT, name, bytes);
  return world.receipt(ACCOUNT, name, 'refused');
}

const suggestions = (): string[] => world.files(ACCOUNT, 'refused').filter((name) => name.includes('.suggested.'));

describe('an account that wants suggestions', () => {
  beforeEach(() => start('suggest'));

  it('gets a refused document with its forms repaired, all changes told, and sends it by moving it', async () => {
    const { suggested, action } = await refused('slip.xml', changed(RIGHT, SLIP));
    expect(action).toBe('fix');
    expect(suggested).toEqual({ file: expect.stringMatching(/^slip\.\w{8}\.suggested\.xml$/), changes: CHANGES });
    await world.inTime('the suggestion', () => suggestions().length === 1);
    expect(suggestions()).toEqual([suggested?.file]);
    expect(world.files(ACCOUNT, 'refused')).toHaveLength(2);
    expect(world.read(ACCOUNT, 'refused', suggestions()[0] ?? '').equals(RIGHT)).toBe(true);

    await world.restart();
    await world.pass(60 * 60_000, 60_000);
    expect([sent, suggestions().length]).toEqual([[], 1]);

    renameSync(world.home(ACCOUNT, 'refused', suggestions()[0] ?? ''), world.home(ACCOUNT, 'inbox', 'repaired.xml'));
    await world.inTime('it to be accepted', () =>
      world.files(ACCOUNT, 'receipts').some((name) => /^repaired\.xml\..*\.accepted\./.test(name)),
    );
    expect(sent).toHaveLength(1);
  });

  it('gets none where more than a form is wrong, or the file cannot be read', async () => {
    const amount: Change = [/(<cbc:PayableAmount[^>]*>)[^<]*/, '$19.99'];
    for (const [name, bytes] of [
      ['amount.xml', changed(RIGHT, SLIP, amount)],
      ['broken.xml', changed(RIGHT, SLIP).subarray(0, -100)],
      ['entity.xml', Buffer.from(`<!DOCTYPE Invoice [<!ENTITY a "b">]>${Buffer.from(changed(RIGHT, SLIP)).toString()}`)],
    ] as const) {
      expect(await refused(name, bytes)).not.toHaveProperty('suggested');
    }
    expect(suggestions()).toEqual([]);
  });

  it.each([
    ['text', /^suggested\.file=slip\.\w{8}\.suggested\.xml$.*^suggested\.change\.1\.to=2026-05-31$/ms],
    ['csv', /suggested\.file,suggested\.changes,.*\r\n.*suggested\.xml,.*2026-05-31/s],
    ['ubl', /<cbc:Description>Suggested: \/Invoice\/cbc:IssueDate is '2026-05-31', and was '31\.05\.2026'<\/cbc:Description>/],
  ] as const)('is told of the changes in a receipt of the form %s', async (form, told) => {
    await world.administer((on) => changeAccount(on, ACCOUNT, { receipts: form }));
    await world.gateway().refreshAccounts();
    await world.drop(ACCOUNT, 'slip.xml', changed(RIGHT, SLIP));
    await world.inTime('the receipt', () => world.files(ACCOUNT, 'receipts').length === 1);
    const [name = ''] = world.files(ACCOUNT, 'receipts');
    expect(world.read(ACCOUNT, 'receipts', name).toString()).toMatch(told);
  });

  it('loses it when the original goes, after the time of their folder', async () => {
    await refused('slip.xml', changed(RIGHT, SLIP));
    await world.inTime('the suggestion', () => suggestions().length === 1);
    const count = (): number => world.files(ACCOUNT, 'refused').length;
    // The files are as old as the machine's clock says, and the gateway's clock stands elsewhere.
    world.clock.advance(Date.now() - world.clock.now() + 89 * DAY_MS);
    await world.pass(2 * HOUR_MS, HOUR_MS);
    expect(count()).toBe(2);
    world.clock.advance(DAY_MS);
    await world.inTime('both to go', () => count() === 0, HOUR_MS);
    expect(world.logged('tidy.failed')).toBe(0);
  });

  it('has it counted for the quota of the home, as the original is', async () => {
    await refused('slip.xml', changed(RIGHT, SLIP));
    await world.inTime('the suggestion', () => suggestions().length === 1);
    const refusedFiles = world.files(ACCOUNT, 'refused').map((name) => world.read(ACCOUNT, 'refused', name).length);
    const whole = await measureHome(world.data, ACCOUNT, () => false);
    unlinkSync(world.home(ACCOUNT, 'refused', suggestions()[0] ?? ''));
    const without = await measureHome(world.data, ACCOUNT, () => false);
    expect(refusedFiles).toHaveLength(2);
    expect([whole.files - without.files, whole.bytes - without.bytes]).toEqual([1, RIGHT.length]);
  });

  it('has none back that was removed, and gets another one for the same file dropped again', async () => {
    await refused('slip.xml', changed(RIGHT, SLIP));
    await world.inTime('the suggestion', () => suggestions().length === 1);
    unlinkSync(world.home(ACCOUNT, 'refused', suggestions()[0] ?? ''));
    await world.restart();
    expect(suggestions()).toEqual([]);
    await refused('slip.xml', changed(RIGHT, SLIP));
    await world.inTime('another one', () => suggestions().length === 1);
    expect(await world.count('refused')).toBe(2);
  });

  it('has the original sent again by an operator, and not the suggestion', async () => {
    await refused('slip.xml', changed(RIGHT, SLIP));
    await world.inTime('the suggestion', () => suggestions().length === 1);
    const [found] = await world.items();
    await world.operate((on) => resendItem(on, found?.item ?? ''));
    await world.inTime('it to be refused again', () => suggestions().length === 2);
    expect([sent, await world.count('refused')]).toEqual([[], 2]);
  });
});

it('any other account gets none', async () => {
  await start(null);
  expect(await refused('slip.xml', changed(RIGHT, SLIP))).not.toHaveProperty('suggested');
  expect(world.files(ACCOUNT, 'refused')).toHaveLength(1);
});
