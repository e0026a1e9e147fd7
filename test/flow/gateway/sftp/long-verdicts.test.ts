// Documents as long as they may be, judged at CLOSE: nobody else waits for it. The clock of this gateway stands still, so no verdict comes too late.
import type { SFTPWrapper } from 'ssh2';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { LoginRules } from '#gateway/model/login-rules.ts';
import { addLogin, addLoginHome } from '#gateway/operate/logins.ts';
import { openPasswords } from '#gateway/sftp/auth/password.ts';
import { systemRandom } from '#runtime/clock.ts';
import { invoice, invoiceOfSize } from '../../../support/documents.ts';
import { changed } from '../../../support/judged.ts';
import type { ScriptedService } from '../../../support/scripted-service.ts';
import { called, connect, openSftp } from '../../../support/sftp-clients.ts';
import { PASSWORD } from '../../../support/sftp-server.ts';
import { scripted } from '../../../support/world/services.ts';
import { startWorld, type World } from '../../../support/world/world.ts';

const HOME = 'acme-ab';
const LOGINS: Readonly<Record<'strict' | 'plain', LoginRules>> = { strict: { verdict: 'strict' }, plain: {} };
const LONG_BYTES = 20_000_000;
/** Nearly as many as a document may have. */
const LONG_ELEMENTS = 240_000;
const SHORT_ONES = 10;

let long: Buffer;
beforeAll(() => {
  const elementsOf = (lines: number): number => Buffer.from(invoice({ lines })).toString().split('</').length;
  const lines = Math.floor(LONG_ELEMENTS / (elementsOf(200) - elementsOf(199)));
  long = Buffer.from(changed(invoiceOfSize(LONG_BYTES, { id: 'LONG', lines }), [/(<cbc:PayableAmount[^>]*>)[\d.]+/, '$199.99']));
});

async function enter(): Promise<World<ScriptedService>> {
  const passwordHash = await openPasswords(systemRandom).hash(PASSWORD);
  const world = await startWorld(scripted(), {
    before: async (on) => {
      for (const [login, rules] of Object.entries(LOGINS)) await addLogin(on, { login, passwordHash, publicKeys: [], rules });
    },
  });
  await world.administer(async (on) => {
    for (const login of Object.keys(LOGINS)) await addLoginHome(on, login, HOME, '');
  });
  await world.restart();
  return world;
}

async function session(world: World, login: keyof typeof LOGINS): Promise<SFTPWrapper> {
  const client = await connect({ port: world.gateway().sftp.port, knownHosts: '', login });
  onTestFinished(() => void client.end());
  return openSftp(client);
}

/** Writes it, and asks for its end; `answer` resolves with what the client is told. */
async function beginClose(sftp: SFTPWrapper, name: string): Promise<{ isAnswered(): boolean; readonly answer: Promise<string> }> {
  const handle = await called<Buffer>((done) => sftp.open(`/inbox/${name}`, 'w', done));
  await called((done) => sftp.write(handle, long, 0, long.length, 0, done));
  let isAnswered = false;
  const answer = called<void>((done) => sftp.close(handle, done)).then(() => 'OK', String);
  void answer.then(() => {
    isAnswered = true;
  });
  return { isAnswered: () => isAnswered, answer };
}

/** Short puts, and a listing after each. */
async function putSome(sftp: SFTPWrapper): Promise<void> {
  for (let at = 0; at < SHORT_ONES; at++) {
    await called((done) => sftp.writeFile(`/inbox/short-${at}.xml`, Buffer.from(invoice({ id: `SHORT-${at}` })), done));
    const names = await called<{ filename: string }[]>((done) => sftp.readdir('/inbox', done));
    expect(names.map(({ filename }) => filename)).toContain(`short-${at}.xml`);
  }
}

describe('while documents of 20 MB are judged at CLOSE', () => {
  it.each<[what: string, long: number, login: keyof typeof LOGINS]>([
    ['one, other uploads that are judged', 1, 'strict'],
    ['more than there are judges, other uploads that are not judged', 3, 'plain'],
  ])('%s end, and listings', async (_, count, login) => {
    const world = await enter();
    const others = await session(world, login);
    const closing = await Promise.all(
      Array.from({ length: count }, async (_each, at) => beginClose(await session(world, 'strict'), `long-${at}.xml`)),
    );
    await putSome(others);
    expect(closing.filter(({ isAnswered }) => isAnswered())).toEqual([]);
    for (const { answer } of closing) expect(await answer).toMatch(/nothing was taken\. .*\(BR-CO-16, line \d+\)/);
    expect(await world.items()).toHaveLength(SHORT_ONES);
  });
});
