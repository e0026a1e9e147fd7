// Where the behaviours play: one daemon, local files, and what is asked of the daemon afterwards.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { loadHostKeys } from '#gateway/sftp/host-keys.ts';
import { type DaemonAccount, SELLER_AND_BUYER, startDaemon, type TestDaemon } from '../support/daemon.ts';
import { invoice, invoiceOfSize } from '../support/documents.ts';
import { SetClock } from '../support/set-clock.ts';
import { until } from '../support/until.ts';
import type { Door } from './client.ts';
import { startRefusing } from './refusals.ts';

const DAY_MS = 86_400_000;

/** The account whose login all clients use. */
const ACCOUNT = 'seller';

/** The account's login with verdicts at CLOSE. */
export const STRICT = 'strict';

/** Accounts with receipts of these forms, suggested repairs, and a reconciliation file of each day; their logins are called so, too. */
export const OF_FORMS = [
  {
    accountRegNo: 'csv',
    login: 'csv',
    participants: ['0007:5567321707'],
    receipts: 'csv',
    repair: 'suggest',
    unreachable: 'at-once',
    reconciliation: 'daily',
  },
  {
    accountRegNo: 'ubl',
    login: 'ubl',
    participants: ['0007:2021005489'],
    receipts: 'ubl',
    repair: 'suggest',
    unreachable: 'at-once',
    reconciliation: 'daily',
  },
] as const satisfies readonly DaemonAccount[];

export interface Stage extends AsyncDisposable {
  readonly daemon: TestDaemon;
  readonly door: Door;
  /** The same server at another port. */
  doorAt(port: number): Door;
  /** The same server, for another login. */
  as(login: string): Door;
  /** Another server, which takes no upload of this login. */
  refusing(login: string): Door;
  /** A name that nothing else has. */
  name(extension?: string): string;
  /** Writes a file on this side, and returns its path. */
  local(bytes: Uint8Array): string;
  /** A path on this side where nothing is. */
  nowhere(): string;
  /** An invoice like no other; of so many bytes. */
  invoice(sizeBytes?: number): Buffer;
  /** Puts a file into the outbox. */
  place(name: string, bytes: Uint8Array): void;
  /** What became of a drop: resolves when so many receipts of this stage are there for the file. */
  receipts(file: string, stage: string, count?: number): Promise<void>;
  /** The originals of a file that the service took. */
  accepted(file: string): Buffer[];
  /** All receipts of a file. */
  receiptsOf(file: string): string[];
}

export async function openStage(): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'dropgate-interop-'));
  const clock = new SetClock(join(folder, 'clock'));
  const [daemon, refusing] = await Promise.all([
    startDaemon({
      accounts: [...SELLER_AND_BUYER, ...OF_FORMS],
      moreLogins: [{ login: STRICT, accountRegNo: ACCOUNT, rules: { verdict: 'strict' } }],
      // On a busy machine, too, verdicts are waited for.
      nodeOptions: ['--import', resolve('test/support/set-clock.ts')],
      env: clock.env,
      config: { core: { requests: 10_000_000 }, sftp: { verdictWithin: '1m' } },
    }),
    startRefusing(),
  ]);
  const answering = [['erp', 'test,lookup,status,answer'], ...OF_FORMS.map(({ login }) => [login, 'test'])];
  for (const [login = '', answers = ''] of answering) {
    const { status, err } = await daemon.cli(['login', 'set', login, '--answers', answers]);
    if (status !== 0) throw new Error(err);
  }
  const changes = (): number => daemon.facts().filter(({ event }) => event === 'accounts.changed').length;
  await until('the daemon to know of it', () => changes() >= answering.length);
  await until('the folders for answers', () => existsSync(daemon.home(ACCOUNT, 'answer', 'query')));
  for (const { login } of OF_FORMS) {
    await until(`a day of ${login} to be over`, async () => {
      await clock.pass(DAY_MS);
      return daemon.files(login, 'receipts').some((name) => name.endsWith('.reconciliation.csv.sig'));
    });
  }
  const fingerprintOf = async ({ data }: TestDaemon): Promise<string> => (await loadHostKeys(join(data, 'keys')))[0]?.fingerprint ?? '';
  const [fingerprint, fingerprintRefusing] = [await fingerprintOf(daemon), await fingerprintOf(refusing)];
  let count = 0;
  const next = (): string => `${++count}`.padStart(4, '0');
  const nowhere = (): string => join(folder, `local ${next()}`);
  const doorAt = (port: number): Door => {
    const knownHosts = join(folder, `known_hosts-${port}`);
    writeFileSync(knownHosts, readFileSync(daemon.knownHosts, 'utf8').replaceAll(`:${daemon.port} `, `:${port} `));
    return { port, knownHosts, fingerprint, login: 'erp' };
  };
  const door = doorAt(daemon.port);
  const receiptsOf = (file: string): string[] => daemon.files(ACCOUNT, 'receipts').filter((each) => each.startsWith(`${file}.`));
  return {
    daemon,
    door,
    doorAt,
    as: (login) => ({ ...door, login }),
    refusing: (login) => ({ port: refusing.port, knownHosts: refusing.knownHosts, fingerprint: fingerprintRefusing, login }),
    name: (extension = 'xml') => `n${next()}.${extension}`,
    nowhere,
    local(bytes) {
      const path = nowhere();
      writeFileSync(path, bytes);
      return path;
    },
    invoice(sizeBytes) {
      const id = `I-${next()}`;
      return Buffer.from(sizeBytes === undefined ? invoice({ id }) : invoiceOfSize(sizeBytes, { id }));
    },
    place: (name, bytes) => writeFileSync(join(daemon.home(ACCOUNT, 'outbox'), name), bytes),
    async receipts(file, stage, count = 1) {
      const there = (): number => receiptsOf(file).filter((each) => each.includes(`.${stage}.`)).length;
      await until(`${count} receipts '${stage}' of ${file}`, () => there() >= count);
    },
    accepted(file) {
      const [stem, extension] = [file.slice(0, file.lastIndexOf('.')), file.slice(file.lastIndexOf('.'))];
      return daemon
        .files(ACCOUNT, 'accepted')
        .filter((each) => each.startsWith(`${stem}.`) && each.endsWith(extension))
        .map((each) => daemon.read(ACCOUNT, 'accepted', each));
    },
    receiptsOf,
    async [Symbol.asyncDispose]() {
      await Promise.all([daemon[Symbol.asyncDispose](), refusing[Symbol.asyncDispose]()]);
      rmSync(folder, { recursive: true });
    },
  };
}
