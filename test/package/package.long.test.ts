// The Debian package: the same from another copy of the sources, small enough, and in a fresh Debian from its installation to a delivered
// invoice, through an upgrade under load and out again.
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { earlierCommits, projectOf } from '../support/earlier-program.ts';
import { needed, neededPackage } from '../support/needed.ts';
import { have, run } from '../support/sftp-clients.ts';
import { ROOT } from './bundle.ts';
import { sourceDateOf } from './deb.ts';

const DEB_BYTES_MAX = 50_000_000;
/** The bundled program with its packages, as it lies on the disk. */
const PROGRAM_KIB_MAX = 60 * 1_024;

const isThere = [
  needed('root', process.getuid?.() === 0, 'run it as root'),
  neededPackage('debootstrap', have('debootstrap'), 'debootstrap'),
  neededPackage('dpkg-shlibdeps', have('dpkg-shlibdeps'), 'dpkg-dev'),
].every(Boolean);

const commits = earlierCommits();
const hasHistory = needed('earlier versions', commits !== undefined, 'clone with the history (git fetch --unshallow)');

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
  const { size } = statSync(deb);
  console.warn(`Debian package: ${(size / 1e6).toFixed(1)} MB`);
  expect(size).toBeLessThanOrEqual(DEB_BYTES_MAX);
});

it.skipIf(!isThere || !hasHistory)(
  'leads a fresh Debian from apt install to a delivered invoice, loses nothing in an upgrade from an earlier commit, and leaves at a purge',
  async () => {
    const project = join(folder, 'earlier');
    const earlier = projectOf(commits?.same ?? '', project);
    const debs = [await built(project, 'old', earlier), await built(ROOT, 'new', sourceDateOf(process.env))];
    const root = join(folder, 'root');
    const { status, out, err } = await run('bash', [join(ROOT, 'test/package/in-root.sh'), root, ...debs]);
    console.warn(out);
    expect({ status, err: err.split('\n').filter((line) => line.startsWith('dropgate:')) }).toEqual({ status: 0, err: [] });
    expect(out).toMatch(/delivered: the invoice is in the outbox of the buyer/);
    const programKib = Number(/beside Node: (\d+) KiB/.exec(out)?.[1]);
    console.warn(`Debian package, installed: ${(programKib / 1_024).toFixed(1)} MiB beside Node`);
    expect(programKib).toBeLessThanOrEqual(PROGRAM_KIB_MAX);
    expect(out).toMatch(/upgrade: (\d+) sent, \1 delivered, 0 lost, 0 twice/);
    expect(out).toMatch(/purged: nothing is left/);
  },
);
