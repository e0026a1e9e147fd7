// The key of the archive, where several nodes make it at the same time.
import { spawn } from 'node:child_process';
import { createPublicKey } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { signingKey } from '#gateway/archive/manifest.ts';
import { until } from '../../../support/until.ts';

const PROCESSES = 4;

/** Prints the public half of the key that it gets, once all are there. */
const PROGRAM = `
import { createPublicKey } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
const { signingKey } = await import('#gateway/archive/manifest.ts');
const [data] = process.argv.slice(-1);
writeFileSync(data + '/ready-' + process.pid, '');
while (!existsSync(data + '/go'));
process.stdout.write(createPublicKey(await signingKey(data)).export({ type: 'spki', format: 'pem' }));
`;

function folder(): string {
  const data = mkdtempSync(join(tmpdir(), 'dropgate-archive-key-'));
  onTestFinished(() => rmSync(data, { recursive: true, force: true }));
  return data;
}

it('is one and the same for nodes that make it at the same time, and its public half is its own', { timeout: 60_000 }, async () => {
  const data = folder();
  const running = Array.from({ length: PROCESSES }, async () => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM, data], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
    return { said, code };
  });
  await until('all to be there', () => readdirSync(data).filter((name) => name.startsWith('ready-')).length === PROCESSES);
  writeFileSync(join(data, 'go'), '');
  const ended = await Promise.all(running);
  const shown = readFileSync(join(data, 'keys', 'archive.pub'), 'utf8');
  expect(ended).toEqual(ended.map(() => ({ said: shown, code: 0 })));
});

it('shows its public half where that was lost, or is of another key', async () => {
  const data = folder();
  const half = createPublicKey(await signingKey(data)).export({ type: 'spki', format: 'pem' });
  const path = join(data, 'keys', 'archive.pub');
  writeFileSync(path, 'of another key');
  await signingKey(data);
  expect(readFileSync(path, 'utf8')).toBe(half);
  rmSync(path);
  await signingKey(data);
  expect(readFileSync(path, 'utf8')).toBe(half);
});
