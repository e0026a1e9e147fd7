// `dropgate usage`: what was exchanged in a month, by partner, account, direction, family and the receivers' countries.
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { addParticipant, addPartner, linkPartner } from '#core/operate/administration.ts';
import { coreOfTest, type TestCore } from '../../support/core.ts';
import { creditNote, invoice } from '../../support/documents.ts';
import { command } from '../../support/terminal.ts';

const SWEDISH = '0007:5567321707';
const MARCH = Date.parse('2026-03-31T23:59:59.999Z');

let core: TestCore;
let config: string;
beforeEach(async () => {
  core = await coreOfTest();
  const data = dirname(core.databasePath);
  config = join(data, 'dropgate.yaml');
  writeFileSync(config, `role: core\ndata: ${data}\n`);
});

const run = (line: string) => command([...line.split(' '), '--config', config]);
async function send(family: 'invoices' | 'creditnotes', body: Uint8Array): Promise<void> {
  expect(await core.call(`/transaction/seller/${family}/outgoing`, { body })).toMatchObject({ status: 200 });
}

it('counts the documents of the month, and who exchanged them', async () => {
  const on = core.administration;
  await addParticipant(on, 'buyer', SWEDISH);
  await addPartner(on, { partnerRegNo: 'firm', name: 'Firm' });
  await linkPartner(on, 'firm', 'buyer');
  core.clock.nowMs = MARCH;
  await send('invoices', invoice({ id: '1' }));
  await send('invoices', invoice({ id: '2', receiver: SWEDISH }));
  await send('invoices', invoice({ id: '3', receiver: SWEDISH }));
  await send('creditnotes', creditNote({ id: '4', receiver: SWEDISH }));
  core.clock.nowMs = MARCH + 1;
  await send('invoices', invoice({ id: '5', receiver: SWEDISH }));
  const received = { partnerRegNo: 'firm', accountRegNo: 'buyer', direction: 'received' };
  const sent = { partnerRegNo: null, accountRegNo: 'seller', direction: 'sent' };
  expect(JSON.parse((await run('usage --month 2026-03 --json')).out)).toEqual({
    month: '2026-03',
    documents: [
      { ...received, family: 'CreditNote', country: 'SE', documents: 1 },
      { ...received, family: 'Invoice', country: 'SE', documents: 2 },
      { ...received, family: 'Invoice', country: null, documents: 1 },
      { ...sent, family: 'CreditNote', country: 'SE', documents: 1 },
      { ...sent, family: 'Invoice', country: 'SE', documents: 2 },
      { ...sent, family: 'Invoice', country: null, documents: 1 },
    ],
    endUsers: [
      { partnerRegNo: 'firm', endUsers: 2 },
      { partnerRegNo: null, endUsers: 1 },
    ],
  });
  const { out } = await run('usage --month 2026-04');
  expect(out.split('\n')).toEqual([
    'firm\tbuyer\treceived\tInvoice\tSE\t1',
    '-\tseller\tsent\tInvoice\tSE\t1',
    'firm\tend users\t1',
    '-\tend users\t1',
  ]);
  const style = { isColoured: false, nowMs: Date.now() };
  const shown = await command(['usage', '--month', '2026-04', '--config', config], undefined, style);
  expect(shown.out.split('\n').slice(-3)).toEqual(['PARTNER  END USERS', 'firm     1', '-        1']);
});

it('says that a month has nothing, and refuses what is no month', async () => {
  expect(await run('usage --month 2025-12')).toMatchObject({
    status: 0,
    out: '',
    err: expect.stringContaining('There are no documents of that month'),
  });
  expect(await run('usage --month 2026-13')).toMatchObject({
    status: 64,
    err: expect.stringContaining("--month must be a month, such as 2026-11, not '2026-13'."),
  });
});
