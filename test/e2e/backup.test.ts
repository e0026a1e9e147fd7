// `dropgate backup` and `dropgate restore` in short; under load, encrypted and on both engines they are in backup.long.test.ts.
import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SELLER_AND_BUYER, startDaemon } from '../support/daemon.ts';
import { uploadInvoice } from '../support/sftp-clients.ts';

it('a backup is put back where a restore was not finished: till then no daemon starts', async () => {
  await using daemon = await startDaemon({ accounts: SELLER_AND_BUYER });
  const file = join(daemon.folder, 'all.backup');
  await uploadInvoice(daemon, 'DOC-1000');
  await daemon.receipt('seller', 'DOC-1000.xml', 'accepted');
  expect(await daemon.cli(['backup', file])).toMatchObject({ status: 0, err: '' });
  await daemon.kill();
  renameSync(daemon.data, `${daemon.data}.lost`);
  mkdirSync(join(daemon.data, 'restoring', 'homes'), { recursive: true });
  mkdirSync(join(daemon.data, 'spool', 'seller'), { recursive: true });
  expect(await daemon.cli(['serve'])).toMatchObject({ status: 64, err: expect.stringContaining('run dropgate restore again') });
  expect(await daemon.cli(['restore', file])).toMatchObject({ status: 0 });
  expect(daemon.files('seller', 'accepted')).toEqual([expect.stringMatching(/^DOC-1000/)]);
  await daemon.start();
  await uploadInvoice(daemon, 'DOC-1001');
  await daemon.receipt('seller', 'DOC-1001.xml', 'accepted');
});

it('a core that is put back says what gateways are to send again', async () => {
  await using core = await startDaemon({ role: 'core', accounts: [{ accountRegNo: 'seller', participants: [] }] });
  const file = join(core.folder, 'all.backup');
  expect(await core.cli(['backup', file])).toMatchObject({ status: 0 });
  await core.kill();
  renameSync(core.data, `${core.data}.lost`);
  const { out } = await core.cli(['restore', file]);
  expect(out).toMatch(/Then run on each gateway .*: dropgate resubmit --since 2/);
  expect(out).not.toContain('nothing that was open');
});
