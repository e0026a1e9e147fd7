// What one client can write into the log: a few lines of a kind each minute, and a count of the others.
import { afterEach, expect, it } from 'vitest';
import { string, uint32 } from '#gateway/sftp/protocol/fields.ts';
import { manualClock } from '../../../support/clock.ts';
import { connect } from '../../../support/sftp-clients.ts';
import { RawSftp } from '../../../support/sftp-raw.ts';
import { startTestServer, type TestServer } from '../../../support/sftp-server.ts';

const MKDIR = 14;
const WRITE_FLAGS = 0x1a;
const PERMISSION_DENIED = 3;

let server: TestServer;
afterEach(() => server[Symbol.asyncDispose]());

const lines = (event: string) => server.facts.filter((fact) => fact.event === event && fact.level !== 'debug');

it('a login that is refused ten thousand times leaves a few lines, and how many were left out', async () => {
  const clock = manualClock();
  server = await startTestServer({ clock });
  for (let session = 0; session < 5; session++) {
    const client = await connect(server);
    const sftp = await RawSftp.open(client);
    for (let round = 0; round < 20; round++) {
      const refused = Array.from({ length: 100 }, () => sftp.status(MKDIR, string('/inbox/folder'), uint32(0)));
      expect(new Set((await Promise.all(refused)).map(({ code }) => code))).toEqual(new Set([PERMISSION_DENIED]));
    }
    client.end();
  }
  // Fifty of a session, two hundred of a login.
  expect(lines('sftp.refused')).toHaveLength(200);
  clock.advance(60_000);
  expect(lines('log.left-out')).toMatchObject([{ level: 'warn', login: 'erp', of: 'sftp.refused', lines: 9_800 }]);
});

it('an upload that fails is told once, whatever follows it', async () => {
  server = await startTestServer({ settings: { fileMax: 1_000 } });
  const client = await connect(server);
  const sftp = await RawSftp.open(client);
  for (const name of ['a.xml', 'b.xml']) {
    const handle = await sftp.openFile(`/inbox/${name}`, WRITE_FLAGS);
    const answers = await Promise.all([0, 500, 1_000, 1_500].map((offset) => sftp.write(handle, offset, Buffer.alloc(501))));
    const sentences = [...answers, await sftp.close(handle)]
      .map(({ sentence }) => sentence)
      .filter((sentence) => sentence.includes('larger'));
    expect(sentences).toHaveLength(4);
  }
  expect(lines('sftp.refused')).toMatchObject([{ code: 'too-large' }, { code: 'too-large' }]);
  client.end();
});
