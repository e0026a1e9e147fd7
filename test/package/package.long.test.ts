// The Debian package: the same from another copy of the sources, and small enough.
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { neededPackage } from '../support/needed.ts';
import { have, run } from '../support/sftp-clients.ts';
import { ROOT } from './bundle.ts';
import { sourceDateOf } from './deb.ts';

const DEB_BYTES_MAX = 50_000_000;

const isThere = neededPackage('dpkg-shlibdeps', have('dpkg-shlibdeps'), 'dpkg-dev');

const folder = mkdtempSync(join(tmpdir(), 'dropgate-package-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The package, built by the sources in this folder, with an environment of its own. */
async function built(project: string, name: string, sourceDate: number, umask = '022'): Promise<string> {
  const build = `umask ${umask}; cd "$0" && node test/package/write-deb.ts "$1"`;
  const ran = await run('env', [`SOURCE_DATE_EPOCH=${sourceDate}`, 'TZ=Asia/Tokyo', 'sh', '-c', build, project, join(folder, name)]);
  expect(ran).toMatchObject({ status: 0 });
  return ran.out.trim();
}

it.skipIf(!isThere)('is the same byte for byte when another copy of the sources builds it', async () => {
  const sourceDate = sourceDateOf(process.env);
  const deb = await built(ROOT, 'one', sourceDate);
  const copy = join(folder, 'copy');
  // As a clone is, with files that are older or newer, and other rights.
  expect(
    await run('sh', ['-c', 'mkdir "$1" && cd "$0" && tar -c --exclude=.git --exclude=.cache . | tar -xm -C "$1"', ROOT, copy]),
  ).toMatchObject({ status: 0 });
  const again = await built(copy, 'two', sourceDate, '077');
  expect(readFileSync(again).equals(readFileSync(deb))).toBe(true);
  expect(statSync(deb).size).toBeLessThanOrEqual(DEB_BYTES_MAX);
});
