// Run as root on a data folder of somebody else's, a command leaves no file of root's behind.
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { needed } from '../../support/needed.ts';
import { MAIN } from '../../support/program.ts';
import { run } from '../../support/sftp-clients.ts';

const NOBODY = 65_534;

it.skipIf(!needed('root', process.getuid?.() === 0, 'run the tests as root'))(
  'a command of root works as the owner of the data folder',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'dropgate-owner-'));
    const [data, config] = [join(folder, 'data'), join(folder, 'dropgate.yaml')];
    chmodSync(folder, 0o755);
    mkdirSync(data);
    chownSync(data, NOBODY, NOBODY);
    writeFileSync(config, `data: ${data}\n`);
    const { status, err } = await run(process.execPath, [MAIN, 'account', 'add', '1', '--login', 'one', '--config', config]);
    expect([status, err]).toEqual([0, '']);
    const files = readdirSync(data, { recursive: true, encoding: 'utf8' });
    expect(files).toContain('gateway.db');
    for (const file of files) expect([file, statSync(join(data, file)).uid]).toEqual([file, NOBODY]);
    rmSync(folder, { recursive: true });
  },
);
