// Who is connected, as `dropgate connections` has it from the running daemon.
import { once } from 'node:events';
import { connect as connectSocket } from 'node:net';
import { expect, it } from 'vitest';
import { SELLER_AND_BUYER, startDaemon } from '../support/daemon.ts';
import { connect, openSftp } from '../support/sftp-clients.ts';
import { eventually } from '../support/until.ts';

it('shows who is on, since when, and what each does; and nobody when they have left', async () => {
  await using daemon = await startDaemon({ accounts: SELLER_AND_BUYER });
  const rows = async (): Promise<Record<string, unknown>[]> => {
    const { out } = await daemon.cli(['connections', '--json']);
    return out.trim() === ''
      ? []
      : out
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line));
  };
  expect(await daemon.cli(['connections'])).toMatchObject({
    status: 0,
    out: '',
    err: expect.stringContaining('There are no such connections'),
  });
  const client = await connect(daemon);
  const sftp = await openSftp(client);
  const handle = await new Promise<Buffer>((resolve, reject) =>
    sftp.open('/inbox/f-42.xml', 'w', (error, opened) => (error ? reject(error) : resolve(opened))),
  );
  const stranger = connectSocket(daemon.port, '127.0.0.1');
  await once(stranger, 'data');
  await eventually(async () =>
    expect(await rows()).toEqual([
      {
        login: 'erp',
        address: '127.0.0.1',
        client: expect.stringContaining('ssh2js'),
        since: expect.stringMatching(/^2/),
        received: expect.any(Number),
        sent: expect.any(Number),
        doing: ['uploads f-42.xml'],
      },
      { login: null, address: '127.0.0.1', client: '', since: expect.any(String), received: 0, sent: expect.any(Number), doing: [] },
    ]),
  );
  expect((await daemon.cli(['connections'])).out).toMatch(
    /^erp\t127\.0\.0\.1\tssh2js\S*\t2\S+\t\d+\t\d+\tuploads f-42\.xml\n-\t127\.0\.0\.1\t\t2\S+\t0\t\d+\tlogs in\n$/,
  );
  await new Promise((closed) => sftp.close(handle, closed));
  await eventually(async () => expect((await rows()).map(({ doing }) => doing)).toEqual([[], []]));
  stranger.destroy();
  client.end();
  await eventually(async () => expect(await rows()).toEqual([]));
});
