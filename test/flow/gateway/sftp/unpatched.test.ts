// With a version of ssh2 that nobody has read, its private parts are left alone: clients are served all the same.
import { expect, it } from 'vitest';
import { have, openSsh } from '../../../support/sftp-clients.ts';
import { startTestServer } from '../../../support/sftp-server.ts';
import { offerOf } from '../../../support/ssh-handshake.ts';

it.skipIf(!have('sftp'))('an unpatched server takes uploads, and offers what ssh2 has', async () => {
  await using server = await startTestServer({ ssh2Version: '1.18.0' });
  const { status, err } = await openSsh(server, [`put ${import.meta.filename} inbox/a.xml`]);
  expect(status, err).toBe(0);
  expect(server.committed()).toMatchObject([{ name: 'a.xml' }]);
  expect((await offerOf(server.port))?.kex[0]).toBe('curve25519-sha256');
  expect(server.facts.filter(({ event }) => event === 'sftp.ssh2-unpatched')).toHaveLength(1);
});

it('profile strict does not start without the exchange that it needs', async () => {
  await expect(startTestServer({ ssh2Version: '1.18.0', listener: { profile: 'strict' } })).rejects.toThrow('Profile strict needs');
});
