// A command that is killed after it has renamed a file into the spool, before its row is written: the gateway that runs beside it finds the file.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { invoice } from '../../../support/documents.ts';
import { isOn } from '../../../support/engine.ts';
import { openFaults } from '../../../support/faults/shim.ts';
import { MAIN } from '../../../support/program.ts';
import { created, refusal } from '../../../support/scripted-service.ts';
import { run } from '../../../support/sftp-clients.ts';
import { scripted } from '../../../support/world/services.ts';
import { startWorld } from '../../../support/world/world.ts';

const ACCOUNT = 'acme-ab';

// The command is a process of its own, and finds the ledger of the test by its file.
it.runIf(isOn('SQLite', 'A command that is killed'))(
  'a resend that is killed between the rename and the commit is sent all the same, once',
  async () => {
    const world = await startWorld(
      scripted(({ method }) => (method === 'POST' ? refusal(422, 'E_VALIDATION', { details: [] }) : { status: 204 })),
    );
    const { service } = world;
    const item = await world.drop(ACCOUNT, 'i.xml', invoice());
    await world.receipt(ACCOUNT, 'i.xml', 'refused');
    service.script = ({ method }) => (method === 'POST' ? created() : { status: 204 });

    const config = join(world.data, 'dropgate.yaml');
    writeFileSync(config, `role: gateway\ndata: ${world.data}\nservice: {url: "${service.url}"}\n`);
    using faults = openFaults({ rules: [{ action: 'die-after', kinds: ['rename'], path: `*/spool/${ACCOUNT}/*` }] });
    const resend = await run(process.execPath, [MAIN, 'resend', item, '--config', config], '', faults.env);
    expect(resend.status).not.toBe(0);
    expect([world.files(ACCOUNT, 'refused'), world.spooled(ACCOUNT).length]).toEqual([[], 1]);

    await world.inTime('the file to be sent', () => world.files(ACCOUNT, 'accepted').length === 1);
    expect(service.seen.filter(({ method }) => method === 'POST')).toHaveLength(2);
    expect(world.spooled(ACCOUNT)).toEqual([]);
  },
);
