// The compose file without an engine: its first lines, and what it would run, from a new database to a delivered invoice.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { needed, neededPackage } from '../support/needed.ts';
import { hasPostgres } from '../support/postgres.ts';
import { postgresPrograms } from '../support/postgres-server.ts';
import { have, run } from '../support/sftp-clients.ts';
import { ROOT } from './bundle.ts';
import { settle, writeTree } from './tree.ts';

const isThere = [
  needed('root', process.getuid?.() === 0, 'run it as root'),
  neededPackage('openssl', have('openssl'), 'openssl'),
  hasPostgres,
].every(Boolean);

interface Compose {
  readonly services: {
    readonly dropgate: { readonly volumes: readonly string[] };
    readonly database: {
      readonly environment: Readonly<Record<string, string>>;
      readonly healthcheck: { readonly test: readonly string[] };
    };
  };
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

const folder = mkdtempSync(join(tmpdir(), 'dropgate-composed-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.skipIf(!isThere)(
  'leads from its first lines to a delivered invoice, also where others may read no file that is made, and others here read no password',
  async () => {
    const text = readFileSync(join(ROOT, 'config/compose.yaml'), 'utf8');
    const compose: Compose = parse(text);
    const { dropgate, database } = compose.services;
    const checkout = join(folder, 'checkout');
    cpSync(join(ROOT, 'config'), join(checkout, 'config'), { recursive: true });
    const typed = [...text.matchAll(/^# {3}(.+)$/gm)].map(([, line = '']) => line).filter((line) => !line.startsWith('docker'));
    expect(await run('sh', ['-euc', `umask 077; cd "$0"; ${typed.join('\n')}`, checkout])).toMatchObject({ status: 0, err: '' });
    const fromConfig = (path: string): string => join(checkout, 'config', path);
    const secret = fromConfig(compose.secrets['database-password']?.file ?? '');
    expect(statSync(join(secret, '..')).mode & 0o077).toBe(0);

    const image = join(folder, 'image');
    await writeTree({ root: image, version: '0', sourceDate: 0 });
    settle(image, 0);
    mkdirSync(join(folder, 'layers'));
    cpSync(secret, join(folder, 'secret'), { preserveTimestamps: true });
    const [config = ''] = dropgate.volumes.filter((each) => each.includes('dropgate.yaml')).map((each) => each.split(':', 1)[0] ?? '');
    cpSync(fromConfig(config), join(folder, 'config'));
    const variables = Object.entries(database.environment).map(([name, value]) => `${name}=${value}\n`);
    writeFileSync(join(folder, 'database'), `${variables.join('')}healthy=${database.healthcheck.test.slice(1).join(' ')}\n`);
    const recipe = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
    writeFileSync(join(folder, 'user'), /^RUN (useradd .+)$/m.exec(recipe)?.[1] ?? '');
    const env = { POSTGRES_PROGRAMS: postgresPrograms() ?? '' };
    const { status, out, err } = await run('bash', [join(ROOT, 'test/package/composed.sh'), folder], '', env);
    expect({ status, err, facts: out.trim().split('\n') }).toEqual({
      status: 0,
      err: '',
      facts: [
        'database: healthy',
        'daemon: healthy, as user 2222',
        'delivered: the invoice is in the outbox of the buyer',
        expect.stringMatching(/^ledgers: [1-9]\d* tables in the database, 0 files beside it$/),
      ],
    });
  },
);
