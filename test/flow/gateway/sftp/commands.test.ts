// Commands, which this server does not run: each is refused in a way that its program understands, and logged.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect, curlHasSftp, have, run, scp } from '../../../support/sftp-clients.ts';
import { PASSWORD, startTestServer, type TestServer } from '../../../support/sftp-server.ts';

const SCP = 'this server offers SFTP only: use scp without -O, or sftp where a program offers both';

let server: TestServer;
const local = mkdtempSync(join(tmpdir(), 'dropgate-local-'));
const invoice = join(local, 'a.xml');
beforeAll(async () => {
  writeFileSync(invoice, '<Invoice/>');
  server = await startTestServer();
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(local, { recursive: true });
});

interface Answered {
  readonly out: string;
  readonly err: string;
  readonly status: number | null;
}

/** What comes back of a command, as its program sees it. */
async function answered(command: string): Promise<Answered> {
  const client = await connect(server);
  try {
    return await new Promise((resolve, reject) => {
      client.exec(command, (error, channel) => {
        if (error) return reject(error);
        let [out, err] = ['', ''];
        let status: number | null = null;
        channel.on('data', (piece: Buffer) => (out += piece));
        channel.stderr.on('data', (piece: Buffer) => (err += piece));
        channel.on('exit', (code: number | null) => (status = code));
        channel.on('close', () => resolve({ out, err, status }));
      });
    });
  } finally {
    client.end();
  }
}

const logged = (): unknown[] => server.facts.filter(({ event }) => event === 'sftp.command').map(({ command, login }) => [command, login]);

describe('a command is refused', () => {
  it.each(["scp -t '/inbox/a.xml'", 'scp -f /outbox/a.xml', ' scp  -v -t .'])("%j in scp's own protocol, and in words", async (command) => {
    const before = logged().length;
    expect(await answered(command)).toEqual({ out: `\x02dropgate: ${SCP}\n`, err: `dropgate: ${SCP}\r\n`, status: 1 });
    expect(logged().slice(before)).toEqual([['scp', 'erp']]);
  });

  it.each(['md5sum x', 'scpx -t /inbox', 'sh -c "scp -t /inbox"', 'constructor', ''])('%j in words only', async (command) => {
    const before = logged().length;
    expect(await answered(command)).toEqual({ out: '', err: 'dropgate: this server offers SFTP only\r\n', status: 1 });
    expect(logged().slice(before)).toEqual([[command.split(' ')[0], 'erp']]);
  });

  it.each([
    ['rsync --server -e.LsfxCIvu . /inbox', 'this server offers SFTP only, and rsync needs a program here: use sftp, or rclone over SFTP'],
    [
      "exec sh -c 'cd ; umask 077 ; mkdir -p .ssh && { [ -z `tail -1c .ssh/authorized_keys 2>/dev/null` ]'",
      'this server offers SFTP only, and keys are added by its administrator: send the public one (.pub) there',
    ],
  ])('%j with what to do instead', async (command, sentence) => {
    expect(await answered(command)).toEqual({ out: '', err: `dropgate: ${sentence}\r\n`, status: 1 });
  });

  it('with no more of it in the log than the beginning of its first word', async () => {
    await answered(`${'x'.repeat(5_000)} secret`);
    expect(logged().at(-1)).toEqual(['x'.repeat(32), 'erp']);
  });
});

it.skipIf(!(await curlHasSftp()))('curl hears a refusal by scp://: its upload fails', async () => {
  const url = `scp://127.0.0.1:${server.port}/inbox/a.xml`;
  const { status } = await run('curl', ['-sS', '--insecure', '-u', `erp:${PASSWORD}`, '-T', invoice, url]);
  expect(status).not.toBe(0);
  expect(server.committed()).toEqual([]);
});

it.skipIf(!have('scp'))('OpenSSH shows why scp -O is refused', async () => {
  const { status, err } = await scp(server, ['-O', invoice, 'remote:/inbox/a.xml']);
  expect(status).toBe(1);
  expect(err).toContain(SCP);
});
