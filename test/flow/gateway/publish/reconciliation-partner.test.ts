// Reconciliation files of a partner: one for its login over all that it sees, which nobody finds who does not see all of that; and of children in one home.
import { expect, it } from 'vitest';
import { readReconciledOwners } from '#gateway/ledger/reconciliation.ts';
import { changeAccount } from '#gateway/operate/account-rules.ts';
import { addLogin, addLoginHome, changeRules, removeLogin } from '#gateway/operate/logins.ts';
import { unlinkChild } from '#gateway/operate/partners.ts';
import { localDay } from '#runtime/local-time.ts';
import { invoice } from '../../../support/documents.ts';
import { partnerStage } from '../../../support/partner-stage.ts';
import { until } from '../../../support/until.ts';
import { ADDRESSES, PARTNER, STRANGER } from '../../../support/world/partner.ts';

const [ONE, TWO, THREE] = ADDRESSES;
const HOUR_MS = 60 * 60_000;
const firm = partnerStage();

/** So many have begun with this day. */
async function settle(owners: number): Promise<void> {
  const { world } = firm;
  await world.gateway().refreshAccounts();
  await world.pass(6 * 60_000);
  await until('the first look', async () => (await world.administer(({ ledger }) => readReconciledOwners(ledger.read))).length === owners);
}

const tables = (home: string): string[] => firm.world.files(home, 'receipts').filter((name) => name.endsWith('.reconciliation.csv'));

/** Time goes on until the file of the day that is now is there. */
async function nextFile(home: string, name: string): Promise<string> {
  const file = `${localDay(firm.world.clock.now()).name}.${name}reconciliation.csv`;
  await firm.world.inTime(file, () => tables(home).includes(file), HOUR_MS);
  return file;
}

/** `child-1 dropped accepted A`, of all rows. */
function rowsOf(home: string, file: string): string[] {
  const [, ...rows] = firm.world.read(home, 'receipts', file).toString().trimEnd().split('\r\n');
  return rows.map((row) => {
    const [, , entry, state, accountRegNo, , , , documentId] = row.split(',');
    return `${accountRegNo} ${entry} ${state} ${documentId}`;
  });
}

const signedFor = (home: string, file: string): string | undefined =>
  firm.world.read(home, 'receipts', `${file}.sig`).toString().split('\n')[1];

it('a login gets one file over all homes that it sees, in the one that was named, unless others see that and not all the rest', async () => {
  await firm.start();
  const { world } = firm;
  await world.administer(async (on) => {
    await addLogin(on, { login: 'child', passwordHash: null, publicKeys: [] });
    await addLoginHome(on, 'child', 'child-1', '');
    await changeRules(on, 'erp', { reconciliation: 'child-1' });
  });
  await settle(0);
  await until('the error', () => firm.events('reconciliation.no-place').length > 0);
  expect(firm.events('reconciliation.no-place')).toMatchObject([{ owner: 'login erp', home: 'child-1' }]);
  await world.administer((on) => removeLogin(on, 'child'));
  await settle(1);
  await firm.accepted('child-1', 'A', ONE);
  await firm.accepted('child-2', 'B', TWO);
  await firm.accepted('child-3', 'C', THREE);
  const file = await nextFile('child-1', 'login-erp.');
  expect(rowsOf('child-1', file).sort()).toEqual([
    'child-1 dropped accepted A',
    'child-2 dropped accepted B',
    'child-3 dropped accepted C',
  ]);
  expect(signedFor('child-1', file)).toBe('for: login erp');
  expect([...tables('child-2'), ...tables('child-3')]).toEqual([]);
  expect(firm.events('reconciliation.no-place')).toHaveLength(1);
});

it('in a home that children share, a child gets its own under its number, with nothing of the others; the login gets all', async () => {
  await firm.start({ consolidated: true });
  const { world } = firm;
  await world.administer(async (on) => {
    await changeRules(on, 'erp', { reconciliation: PARTNER });
    await changeAccount(on, 'child-2', { reconciliation: 'daily' });
  });
  await settle(2);
  await firm.accepted(PARTNER, 'A', ONE);
  await firm.accepted(PARTNER, 'B', TWO);
  await world.drop(PARTNER, 'nobody.xml', invoice({ id: 'N', sender: STRANGER, receiver: TWO }));
  await world.receipt(PARTNER, 'nobody.xml', 'refused');
  const file = await nextFile(PARTNER, 'login-erp.');
  expect(rowsOf(PARTNER, file).sort()).toEqual(['child-1 dropped accepted A', 'child-2 dropped accepted B', 'firm dropped refused N']);
  const own = file.replace('login-erp', 'child-2');
  await world.inTime('the file of the child', () => tables(PARTNER).includes(own));
  expect(rowsOf(PARTNER, own)).toEqual(['child-2 dropped accepted B']);
  expect(signedFor(PARTNER, own)).toBe('for: account child-2');
});

it('what is open of a child that is linked no more is forgotten, so that the days still add up', async () => {
  await firm.start();
  const { world } = firm;
  await world.administer((on) => changeRules(on, 'erp', { reconciliation: 'child-1' }));
  await settle(1);
  firm.service.manners.fault = ({ method }) => (method === 'POST' ? { does: false, answers: 'reset' } : undefined);
  await world.drop('child-2', 'b.xml', invoice({ id: 'B', sender: TWO, receiver: STRANGER }));
  await until('the try', () => firm.events('submit.postponed').length === 1);
  const first = await nextFile('child-1', 'login-erp.');
  expect(rowsOf('child-1', first)).toEqual(['child-2 dropped waiting B']);
  await world.administer((on) => unlinkChild(on, PARTNER, 'child-2', 'erp'));
  await firm.inTime('held', () => world.stages('child-2', 'b.xml').includes('held'), 500);
  const second = await nextFile('child-1', 'login-erp.');
  expect(rowsOf('child-1', second)).toEqual(['child-2 carried forgotten ']);
  const statement = world.read('child-1', 'receipts', `${second}.sig`).toString();
  expect(statement).toContain('\nsent: carried 1 + dropped 0 = accepted 0 + refused 0 + held 0 + cancelled 0 + waiting 0 + forgotten 1\n');
});
