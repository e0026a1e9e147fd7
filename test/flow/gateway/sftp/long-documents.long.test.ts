// Documents as long as they may be, judged at CLOSE, at a rename, or for a test: nobody else waits for it. The clock of this gateway stands still, so no verdict comes too late.
import type { SFTPWrapper } from 'ssh2';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { dayOf } from '#domain/day.ts';
import type { LoginRules } from '#gateway/model/login-rules.ts';
import { addLogin, addLoginHome } from '#gateway/operate/logins.ts';
import { readBeside } from '#gateway/reader/pool.ts';
import { systemClock } from '#runtime/clock.ts';
import { slownessNow } from '../../../support/cost.ts';
import { invoice, invoiceOfSize } from '../../../support/documents.ts';
import { changed } from '../../../support/judged.ts';
import type { ScriptedService } from '../../../support/scripted-service.ts';
import { called, connect, openSftp } from '../../../support/sftp-clients.ts';
import { PASSWORD_HASH } from '../../../support/sftp-server.ts';
import { scripted } from '../../../support/world/services.ts';
import { startWorld, type World } from '../../../support/world/world.ts';

const HOME = 'acme-ab';
type Who = 'strict' | 'plain';
const LOGINS: Readonly<Record<Who, LoginRules>> = {
  strict: { verdict: 'strict', answers: ['test'] },
  plain: {},
};
const LONG_BYTES = 20_000_000;
/** Nearly as many as a document may have. */
const LONG_ELEMENTS = 240_000;
const SHORT_ONES = 10;
/** Of a put or a listing beside it, on a quiet machine; the long one takes some seconds. */
const STEP_MS_MAX = 250;

let long: Buffer;
beforeAll(async () => {
  // Judges that only start now are slow by themselves.
  const asked = { bytes: Buffer.from(invoice()), day: dayOf(systemClock.now()) };
  await Promise.all([readBeside('judge', asked), readBeside('judge', asked)]);
  const elementsOf = (lines: number): number => Buffer.from(invoice({ lines })).toString().split('</').length;
  const lines = Math.floor(LONG_ELEMENTS / (elementsOf(200) - elementsOf(199)));
  long = Buffer.from(changed(invoiceOfSize(LONG_BYTES, { id: 'LONG', lines }), [/(<cbc:PayableAmount[^>]*>)[\d.]+/, '$199.99']));
});

async function enter(): Promise<World<ScriptedService>> {
  const world = await startWorld(scripted(), {
    before: async (on) => {
      for (const [login, rules] of Object.entries(LOGINS))
        await addLogin(on, { login, passwordHash: PASSWORD_HASH, publicKeys: [], rules });
    },
  });
  await world.administer(async (on) => {
    for (const login of Object.keys(LOGINS)) await addLoginHome(on, login, HOME, '');
  });
  await world.restart();
  return world;
}

async function session(world: World, login: Who): Promise<SFTPWrapper> {
  const client = await connect({ port: world.gateway().sftp.port, knownHosts: '', login });
  onTestFinished(() => void client.end());
  return openSftp(client);
}

/** Brings the long document; what it resolves with has it judged. */
type Bring = (sftp: SFTPWrapper, name: string) => Promise<() => Promise<void>>;

async function written(sftp: SFTPWrapper, path: string): Promise<() => Promise<void>> {
  const handle = await called<Buffer>((done) => sftp.open(path, 'w', done));
  await called((done) => sftp.write(handle, long, 0, long.length, 0, done));
  return () => called((done) => sftp.close(handle, done));
}

const toPut: Bring = (sftp, name) => written(sftp, `/inbox/${name}`);
const toTest: Bring = (sftp, name) => written(sftp, `/inbox/test/${name}`);
const toRename: Bring = async (sftp, name) => {
  const close = await written(sftp, `/inbox/${name}.tmp`);
  await close();
  return () => called((done) => sftp.rename(`/inbox/${name}.tmp`, `/inbox/${name}`, done));
};

/** Short puts, and a listing after each. Resolves with what the slowest of them all took. */
async function putSome(sftp: SFTPWrapper): Promise<number> {
  let slowestMs = 0;
  const timed = async <Answer>(work: Promise<Answer>): Promise<Answer> => {
    const begun = performance.now();
    const answer = await work;
    slowestMs = Math.max(slowestMs, performance.now() - begun);
    return answer;
  };
  for (let at = 0; at < SHORT_ONES; at++) {
    await timed(called((done) => sftp.writeFile(`/inbox/short-${at}.xml`, Buffer.from(invoice({ id: `SHORT-${at}` })), done)));
    const names = await timed(called<{ filename: string }[]>((done) => sftp.readdir('/inbox', done)));
    expect(names.map(({ filename }) => filename)).toContain(`short-${at}.xml`);
  }
  return slowestMs;
}

const REFUSED = /nothing was taken\. .*\(BR-CO-16, line \d+\)/;

describe('while documents of 20 MB are judged', () => {
  it.each<[what: string, count: number, bring: Bring, login: Who, told: RegExp]>([
    ['one at CLOSE, other uploads that are judged', 1, toPut, 'strict', REFUSED],
    ['more at CLOSE than there are judges, other uploads that are not judged', 3, toPut, 'plain', REFUSED],
    ['one at a rename, other uploads that are judged', 1, toRename, 'strict', REFUSED],
    ['one for a test, other uploads that are judged', 1, toTest, 'strict', /^OK$/],
  ])('%s end, and listings', async (_, count, bring, login, told) => {
    const world = await enter();
    const others = await session(world, login);
    const brought = await Promise.all(
      Array.from({ length: count }, async (_each, at) => bring(await session(world, 'strict'), `long-${at}.xml`)),
    );
    const slowness = await slownessNow();
    const begun = performance.now();
    let answeredMs: number | undefined;
    const answers = brought.map(async (judge) => {
      const answer = await judge().then(() => 'OK', String);
      answeredMs ??= performance.now() - begun;
      return answer;
    });
    const slowestMs = await putSome(others);
    expect(answeredMs).toBeUndefined();
    for (const answer of answers) expect(await answer).toMatch(told);
    expect(slowestMs).toBeLessThan(STEP_MS_MAX * Math.max(slowness, await slownessNow()));
    expect(await world.items()).toHaveLength(SHORT_ONES);
  });
});
