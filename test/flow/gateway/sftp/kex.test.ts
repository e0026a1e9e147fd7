// The post-quantum key exchange against a client of our own, and what each profile offers.
import { afterEach, describe, expect, it } from 'vitest';
import { PROFILES } from '#gateway/sftp/ssh2/algorithms.ts';
import { connect, have, openSsh } from '../../../support/sftp-clients.ts';
import { startTestServer, type TestServer } from '../../../support/sftp-server.ts';
import { hybridHandshake, offerOf } from '../../../support/ssh-handshake.ts';
import { eventually } from '../../../support/until.ts';

let server: TestServer;
afterEach(() => server[Symbol.asyncDispose]());

describe('mlkem768x25519-sha256', () => {
  it.each(['compat', 'strict'] as const)('is agreed on in profile %s, signed, and encrypts, at the start and later on', async (profile) => {
    server = await startTestServer({ listener: { profile } });
    const handshakes = await Promise.all(Array.from({ length: 8 }, () => hybridHandshake(server.port)));
    expect(new Set(handshakes.map((each) => JSON.stringify(each)))).toEqual(
      new Set([JSON.stringify({ isSigned: [true, true], types: [7, 6] })]),
    );
  });

  it('is given up when the share is none, and the server lives on', async () => {
    server = await startTestServer();
    await expect(hybridHandshake(server.port, (share) => share.subarray(1))).rejects.toThrow('answered with type 1');
    await expect(hybridHandshake(server.port, (share) => Buffer.alloc(share.length, 0xff))).rejects.toThrow('answered with type 1');
    expect(await hybridHandshake(server.port)).toMatchObject({ isSigned: [true, true] });
  });

  it('leaves clients alone that do not know it', async () => {
    server = await startTestServer();
    for (const kex of ['curve25519-sha256', 'ecdh-sha2-nistp256'] as const) {
      const client = await connect(server, { algorithms: { kex: [kex] } });
      client.end();
    }
  });
});

describe('the offered lists', () => {
  it.each(['strict', 'compat', 'legacy'] as const)('are those of profile %s', async (profile) => {
    server = await startTestServer({ listener: { profile } });
    const { kex, cipher, hmac, compress, serverHostKey } = PROFILES[profile];
    const offer = await offerOf(server.port);
    expect(offer).toMatchObject({ kex, cipher, hmac, compress });
    expect(offer?.serverHostKey.toSorted()).toEqual(serverHostKey.toSorted());
  });

  it.skipIf(!have('sftp'))('of strict turn an older OpenSSH away, with a word to the administrator', async () => {
    server = await startTestServer({ listener: { profile: 'strict' } });
    const { status } = await openSsh(server, [], ['-o', 'KexAlgorithms=curve25519-sha256']);
    expect(status).toBe(255);
    await eventually(() => expect(server.rejects).toHaveLength(1));
    expect(server.rejects).toMatchObject([
      { reason: 'negotiation', explanation: 'offers only curve25519-sha256 for key exchange; allow it with profile compat' },
    ]);
  });
});
