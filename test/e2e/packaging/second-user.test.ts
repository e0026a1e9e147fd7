// A program of another user works in a home with the rights that docs/install.md gives it, beside a daemon with the unit's UMask: from the drop to
// the removal of what comes, and not a step beyond the folders.
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SELLER_AND_BUYER, startDaemon, type TestDaemon } from '../../support/daemon.ts';
import { BUYER, documentOf, invoice, SELLER } from '../../support/documents.ts';
import { needed, neededPackage } from '../../support/needed.ts';
import { MAIN } from '../../support/program.ts';
import { called, connect, openSftp } from '../../support/sftp-clients.ts';
import { until } from '../../support/until.ts';

const [DAEMON, ERP] = [52_222, 53_333];
const UMASK = /^UMask=(\d+)$/m.exec(readFileSync('systemd/dropgate.service', 'utf8'))?.[1] ?? '';

const as = (user: number): string[] => ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups'];

function works(command: readonly string[]): boolean {
  const [program = '', ...args] = command;
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const isReady = [
  needed('root', process.getuid?.() === 0, 'run the tests as root'),
  neededPackage('setfacl', works(['setfacl', '--version']), 'acl'),
  needed('sources that other users can read', works([...as(DAEMON), 'test', '-r', MAIN]), 'clone them where all users may look'),
].every(Boolean);

describe.skipIf(!isReady)('a program of another user', () => {
  let daemon: TestDaemon;
  beforeAll(async () => {
    const under = [...as(DAEMON), 'sh', '-c', `umask ${UMASK}; exec "$@"`, 'sh'];
    daemon = await startDaemon({
      accounts: SELLER_AND_BUYER,
      moreLogins: [{ login: 'answers', accountRegNo: 'seller', rules: { answers: ['answer'] } }],
      owner: DAEMON,
      under,
      config: { gateway: { answerAfter: '1s' } },
    });
    const [folders, ofAnswers] = granting();
    for (const home of ['seller', 'buyer']) grant(home, folders);
    await until('the folders for answers', () => existsSync(daemon.home('seller', 'answer', 'query')));
    grant('seller', `cd ${daemon.home('seller', '.')}\n${ofAnswers}`);
  });
  afterAll(() => daemon?.[Symbol.asyncDispose]());

  /** The commands of docs/install.md: for the folders that all homes have, and for those for answers. */
  function granting(): string[] {
    const page = readFileSync('docs/install.md', 'utf8');
    return [...page.matchAll(/```sh\n([^`]*)```/g)].flatMap(([, block = '']) => (block.includes('setfacl') ? block : []));
  }

  /** For this folder and these users. */
  function grant(home: string, block = ''): void {
    const commands = block
      .replaceAll('/var/lib/dropgate', daemon.data)
      .replaceAll('5567321707', home)
      .replaceAll('u:erp:', `u:${ERP}:`)
      .replaceAll('u:dropgate:', `u:${DAEMON}:`);
    expect(commands).toContain('setfacl');
    execFileSync('sh', ['-e'], { input: commands });
  }

  /** What a shell of the ERP's user says in a home. */
  function erp(home: string, script: string, input: string | Uint8Array = ''): string {
    const [program = '', ...args] = [...as(ERP), 'sh', '-e', '-c', script];
    return execFileSync(program, args, {
      cwd: '/',
      env: { ...process.env, H: daemon.home(home, '.') },
      input,
      encoding: 'utf8',
      stdio: 'pipe',
    });
  }
  const may = (home: string, script: string): boolean => {
    try {
      erp(home, script);
      return true;
    } catch {
      return false;
    }
  };
  const listed = (home: string, folder: string, of: string): Promise<string> =>
    until(`${of} in ${folder}`, () =>
      erp(home, `cd $H; ls ${folder}`)
        .split('\n')
        .find((name) => name.includes(of)),
    );
  const drop = (name: string, bytes: Uint8Array): string => erp('seller', `cd $H/inbox; cat > ${name}.tmp; mv ${name}.tmp ${name}`, bytes);

  it('drops, reads its receipt and its original, and removes them', async () => {
    drop('i.xml', invoice({ id: 'U-1' }));
    const receipt = await listed('seller', 'receipts', 'i.xml.');
    expect(JSON.parse(erp('seller', `cat $H/receipts/${receipt}`))).toMatchObject({ stage: 'accepted' });
    const original = await listed('seller', 'accepted', 'i.');
    expect(erp('seller', `cat $H/accepted/${original}`)).toBe(Buffer.from(invoice({ id: 'U-1' })).toString());
    erp('seller', `rm $H/receipts/${receipt} $H/accepted/${original}`);
  });

  it('reads and removes what came for the receiver, and originals that came by SFTP', async () => {
    const client = await connect({ port: daemon.port, knownHosts: daemon.knownHosts, login: 'erp' });
    const sftp = await openSftp(client);
    await called<void>((done) => sftp.writeFile('/inbox/s.xml', Buffer.from(invoice({ id: 'U-2' })), done));
    client.end();
    const original = await listed('seller', 'accepted', 's.');
    expect(erp('seller', `cat $H/accepted/${original}`)).toContain('U-2');
    const arrived = await listed('buyer', 'outbox', 'U-2');
    expect(erp('buyer', `cat $H/outbox/${arrived}`)).toContain('U-2');
    erp('buyer', `mv $H/outbox/${arrived} $H/outbox/${arrived}.downloading; rm $H/outbox/*U-2*`);
  });

  it('moves a refused original back into the inbox', async () => {
    drop('b.xml', Buffer.from('<Invoice>'.repeat(3)));
    const refused = await listed('seller', 'refused', 'b.');
    erp('seller', `mv $H/refused/${refused} $H/inbox/again.xml`);
    await listed('seller', 'receipts', 'again.xml.');
  });

  it.each([
    ['answer/accept', 'accept', ''],
    ['a folder that it has made for a reason', 'reject', 'too dear'],
    ['one that was made over SFTP', 'query', 'which colour'],
  ])('moves an order into %s', async (_, answer, reason) => {
    const id = `PO-${answer}`;
    const order = documentOf('Order', { id, sender: BUYER, receiver: SELLER });
    erp('buyer', `cd $H/inbox; cat > ${id}.tmp; mv ${id}.tmp ${id}.xml`, order);
    const arrived = await listed('seller', 'outbox', id);
    if (answer === 'reject') erp('seller', `mkdir "$H/answer/${answer}/${reason}"`);
    if (answer === 'query') {
      const client = await connect({ port: daemon.port, knownHosts: daemon.knownHosts, login: 'answers' });
      const sftp = await openSftp(client);
      await called<void>((done) => sftp.mkdir(`/answer/${answer}/${reason}`, done));
      client.end();
    }
    erp('seller', `cd $H; mv outbox/${arrived} "answer/${answer}/${reason}/${id}.xml"`);
    const receipt = await listed('seller', 'receipts', `${answer}-${id}.xml.`);
    expect(JSON.parse(erp('seller', `cat $H/receipts/${receipt}`))).toMatchObject({ stage: 'accepted', family: 'OrderResponse' });
    const response = await listed('buyer', 'outbox', 'OrderResponse');
    expect(erp('buyer', `cat $H/outbox/${response}; rm $H/outbox/${response}`)).toContain(id);
    expect(erp('seller', `ls $H/answer/${answer}`)).toBe('');
  });

  it.each([
    'ln -s / $H/link',
    'mv $H/answer/accept $H/answer/other',
    'mv $H/receipts $H/other',
    'rmdir $H/outbox',
    'ls $H',
    'ls $H/.staged',
    'ls $H/../../staged',
    'ls $H/../../spool',
    'cat $H/../../keys/*',
    'cat $H/../../*.db',
  ])('may not: %s', (script) => expect(may('seller', script)).toBe(false));

  it('a start and check-config are silent, and tell when it is otherwise', async () => {
    const warned = (): boolean => daemon.facts().some(({ event }) => event === 'homes.open');
    const checked = async (): Promise<string> => (await daemon.cli(['check-config'])).err;
    await daemon.stop();
    await daemon.start();
    expect([warned(), await checked()]).toEqual([false, '']);
    chmodSync(daemon.home('buyer', '.'), 0o770);
    await daemon.stop();
    await daemon.start();
    expect([warned(), await checked()]).toEqual([true, expect.stringContaining('buyer')]);
  });

  it.each(['.', '.staged', 'inbox', 'outbox', 'receipts'])(
    'a start serves the other homes where %s of one is closed to it',
    async (folder) => {
      const closed = daemon.home('buyer', folder);
      await daemon.stop();
      chownSync(closed, ERP, ERP);
      chmodSync(closed, 0o700);
      try {
        await daemon.start();
        drop('o.xml', invoice({ id: `U-${folder}` }));
        const receipt = await listed('seller', 'receipts', 'o.xml.');
        erp('seller', `rm $H/receipts/${receipt}`);
        expect((await daemon.cli(['check-config'])).status).toBe(0);
      } finally {
        chownSync(closed, DAEMON, DAEMON);
      }
    },
  );
});
