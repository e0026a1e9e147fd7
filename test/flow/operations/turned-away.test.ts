// `dropgate network turned-away` and `network show`: documents that were turned away before they came in.
import { readFileSync, statSync } from 'node:fs';
import { beforeEach, expect, it } from 'vitest';
import { insertTurnedAway } from '#core/ledger/turned-away.ts';
import { withLedgers } from '#operations/ledgers.ts';
import { loadConfig } from '#runtime/config/file.ts';
import { testSite } from '../../support/site.ts';
import { command } from '../../support/terminal.ts';

const site = testSite();
const { at, run } = site;
const KEPT = {
  instanceId: 'envelope-1',
  accountRegNo: 'seller',
  sender: '0088:7350000000016',
  receiver: '0088:7300010000001',
  family: 'Invoice',
  documentId: 'F-13',
  findings: JSON.stringify([{ rule: 'BR-CO-15', severity: 'fatal', message: 'The sum is wrong.', path: '/Invoice' }]),
};
const DOCUMENT = Buffer.from('<Invoice>…</Invoice>');

beforeEach(() =>
  withLedgers(loadConfig(site.config, undefined).config, async ({ core }) => {
    await core?.ledger.write([], (rows) => insertTurnedAway(rows, { ...KEPT, document: DOCUMENT }, 1_764_000_000_000));
  }),
);

it('lists what was turned away', async () => {
  const line = '2025-11-24T16:00:00.000Z\tenvelope-1\tseller\tInvoice F-13\tfrom 0088:7350000000016\t1 findings';
  expect((await run('network turned-away')).out).toBe(line);
  const style = { isColoured: false, nowMs: 1_764_000_000_000 };
  const { out } = await command(['network', 'turned-away', '--config', site.config], undefined, style);
  expect(out).toMatch(/SENDER +FINDINGS\n.* Invoice F-13 +0088:7350000000016 +1$/);
  expect(await run('network turned-away --account other')).toMatchObject({
    status: 0,
    out: '',
    err: expect.stringContaining('There are no'),
  });
  expect(JSON.parse((await run('network turned-away --account seller --json')).out)).toMatchObject({
    documentId: 'F-13',
    size: DOCUMENT.length,
    findings: [{ rule: 'BR-CO-15' }],
  });
});

it('shows one with all that was found, and writes the document for its owner alone, over nothing', async () => {
  const { status, out } = await run(`network show envelope-1 --write ${at('document.xml')}`);
  expect(status).toBe(0);
  expect(out).toMatch(/^finding {2,}fatal BR-CO-15 \/Invoice The sum is wrong\.$/m);
  expect(readFileSync(at('document.xml'))).toEqual(DOCUMENT);
  expect(statSync(at('document.xml')).mode & 0o777).toBe(0o600);
  expect((await run(`network show envelope-1 --json --write ${at('document.xml')}`)).status).not.toBe(0);
  expect(await run('network show other')).toMatchObject({ status: 66, err: expect.stringContaining('No document was turned away') });
});
