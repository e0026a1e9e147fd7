// check-config and doctor beside a daemon: the ports that it holds are its own.
import { expect, it } from 'vitest';
import { SELLER_AND_BUYER, startDaemon } from '../support/daemon.ts';
import { freePort } from '../support/free-port.ts';

it('all is well beside a daemon, and doctor tells when it has gone', async () => {
  const listen = async () => ({ listen: `127.0.0.1:${await freePort()}` });
  await using daemon = await startDaemon({
    accounts: SELLER_AND_BUYER,
    config: { sftp: await listen(), core: await listen(), admin: await listen() },
  });
  expect(await daemon.cli(['check-config'])).toMatchObject({ status: 0, err: '', out: expect.stringMatching(/# OK\n$/) });
  const { status, out } = await daemon.cli(['doctor']);
  expect({ status, out }).toMatchObject({
    status: 0,
    out: expect.stringContaining(`The daemon answers: SFTP on 127.0.0.1:${daemon.port}`),
  });
  expect(out).not.toContain('problem');
  await daemon.stop();
  expect(await daemon.cli(['doctor'])).toMatchObject({ status: 1, out: expect.stringContaining('No daemon runs') });
});
