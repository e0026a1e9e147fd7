// Where the system has no /proc, folders cannot be held by it: the daemon says so at its start, and looks before each step.
import { spawnSync } from 'node:child_process';
import { renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { SELLER_AND_BUYER, startDaemon } from '../../support/daemon.ts';
import { invoice } from '../../support/documents.ts';
import { needed } from '../../support/needed.ts';
import { until } from '../../support/until.ts';

const WITHOUT_PROC = ['unshare', '--mount', 'sh', '-ec', 'mount -t tmpfs none /proc; exec "$@"', 'sh'];

const [program = '', ...words] = WITHOUT_PROC;
const isPossible = spawnSync(program, [...words, 'true']).status === 0;

it.skipIf(!needed('mounts', isPossible, 'run the tests as root, where / is a mount point'))(
  'without /proc the daemon warns, works, and follows no link that it finds',
  async () => {
    await using daemon = await startDaemon({ accounts: SELLER_AND_BUYER, under: WITHOUT_PROC });
    expect(daemon.facts().filter(({ event }) => event === 'homes.unguarded')).toHaveLength(1);
    writeFileSync(daemon.home('seller', 'inbox/i.xml'), invoice({ id: 'P-1' }));
    await daemon.receipt('seller', 'i.xml', 'accepted');
    await until('the document', () => daemon.files('buyer', 'outbox').length === 1);
    renameSync(daemon.home('seller', 'receipts'), daemon.home('seller', '.away'));
    symlinkSync(daemon.home('buyer', 'receipts'), daemon.home('seller', 'receipts'));
    writeFileSync(daemon.home('seller', 'inbox/j.xml'), invoice({ id: 'P-2' }));
    await until('the line', () => daemon.facts().some(({ event }) => event === 'publish.kept-out'));
    expect(daemon.files('buyer', 'receipts')).toEqual([]);
  },
);
