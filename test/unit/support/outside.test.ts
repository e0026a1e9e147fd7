// A test whose server throws fails at once, by what was thrown, instead of waiting for an answer.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { run } from '../../support/sftp-clients.ts';

const ROOT = join(import.meta.dirname, '../../..');
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs');

it('a server that throws fails its test by what it threw', async () => {
  const args = ['run', '--root', ROOT, '--config', 'test/fixtures/outside/vitest.config.ts', '--reporter=default'];
  const { status, out, err } = await run(process.execPath, [VITEST, ...args], '', { VITEST: '', NO_COLOR: '1' });
  expect(status).toBe(1);
  expect(out).toContain('1 failed');
  expect(out + err).toContain('Error: what the server threw');
  expect(out + err).not.toContain('timed out');
});
