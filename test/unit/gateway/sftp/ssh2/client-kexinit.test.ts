import { describe, expect, it } from 'vitest';
import { string, uint32 } from '#gateway/sftp/protocol/fields.ts';
import { explain } from '#gateway/sftp/rejects.ts';
import { disagreement, legacyNames, PROFILES } from '#gateway/sftp/ssh2/algorithms.ts';
import { type AlgorithmLists, ClientKexInitReader, readClientKexInit } from '#gateway/sftp/ssh2/client-kexinit.ts';

const MODERN: AlgorithmLists = {
  kex: ['curve25519-sha256'],
  serverHostKey: ['ssh-ed25519'],
  cipher: ['aes128-ctr'],
  hmac: ['hmac-sha2-256'],
  compress: ['none'],
};

/** A KEXINIT packet (RFC 4253 §7.1) as a client sends it first. */
function kexinit({ kex, serverHostKey, cipher, hmac, compress }: AlgorithmLists): Buffer {
  const lists = [kex, serverHostKey, cipher, ['their-cipher'], hmac, ['their-mac'], compress, ['their-compression'], [], []];
  const payload = Buffer.concat([
    Buffer.from([20]),
    Buffer.alloc(16, 7),
    ...lists.map((names) => string(names.join(','))),
    Buffer.alloc(5),
  ]);
  return Buffer.concat([uint32(payload.length + 5), Buffer.from([4]), payload, Buffer.alloc(4)]);
}

describe('the version line and KEXINIT of a client', () => {
  const bytes = Buffer.concat([Buffer.from('SSH-2.0-JSCH-0.1.55\r\n'), kexinit({ ...MODERN, kex: ['a', 'ext-info-c', 'b'] })]);

  it('is read whatever the pieces, without what is no algorithm', () => {
    const reader = new ClientKexInitReader();
    for (const byte of bytes) reader.push(Buffer.from([byte]));
    reader.push(Buffer.from('encrypted'));
    expect(reader.read).toEqual({ ident: 'SSH-2.0-JSCH-0.1.55', offer: { ...MODERN, kex: ['a', 'b'] } });
  });

  it('is what is there of it', () => {
    expect(readClientKexInit(bytes.subarray(0, 10))).toEqual({ ident: '', offer: null });
    expect(readClientKexInit(bytes.subarray(0, 60))).toEqual({ ident: 'SSH-2.0-JSCH-0.1.55', offer: null });
    expect(readClientKexInit(Buffer.from('GET / HTTP/1.1\r\n\r\n'))).toEqual({ ident: '', offer: null });
  });

  it('gives a terminal nothing to obey', () => {
    const ident = `SSH-2.0-\x1b[2J${'x'.repeat(500)}\r\n`;
    expect(readClientKexInit(Buffer.from(ident)).ident).toMatch(/^SSH-2\.0-\?\[2Jx{243}$/);
  });

  it('of garbage is nothing, and never throws', () => {
    for (let length = 0; length < 200; length++) {
      const packet = kexinit(MODERN).map((byte, at) => (at % 7 === length % 7 ? byte ^ length : byte));
      readClientKexInit(Buffer.concat([Buffer.from('SSH-2.0-x\n'), packet.subarray(0, length + 5)]));
    }
  });
});

describe('a disagreement', () => {
  it.each<[Partial<AlgorithmLists>, string | undefined]>([
    [{}, undefined],
    [{ kex: ['diffie-hellman-group14-sha1'] }, 'offers only diffie-hellman-group14-sha1 for key exchange; allow it with profile legacy'],
    [{ serverHostKey: ['ssh-rsa', 'ssh-dss'] }, 'offers only ssh-rsa, ssh-dss for host keys; allow it with profile legacy'],
    [{ cipher: ['3des-cbc'] }, 'offers only 3des-cbc for encryption; no profile allows that: it needs an update'],
    [{ hmac: ['hmac-md5'] }, 'offers only hmac-md5 for integrity; no profile allows that: it needs an update'],
    [{ hmac: ['hmac-md5'], cipher: ['aes128-gcm@openssh.com'] }, undefined],
    [{ kex: [] }, 'offers only nothing for key exchange; no profile allows that: it needs an update'],
  ])('over %j is told as %j', (offer, sentence) => expect(disagreement({ ...MODERN, ...offer }, 'compat')).toBe(sentence));

  it('is settled by the profile that it names', () => {
    expect(disagreement({ ...MODERN, kex: ['diffie-hellman-group14-sha1'], serverHostKey: ['ssh-rsa'] }, 'legacy')).toBeUndefined();
    expect(legacyNames([...Object.values(PROFILES.compat).flat(), 'rsa-sha2-256', 'ssh-rsa', '', 'hmac-sha1'])).toEqual([
      'ssh-rsa',
      'hmac-sha1',
    ]);
  });
});

describe('a connection that came to nothing', () => {
  const course = {
    address: '192.0.2.1',
    login: 'erp',
    kexInit: { ident: 'SSH-2.0-x', offer: MODERN },
    profile: 'compat',
    legacyEnded: null,
    isEncrypted: true,
    failure: undefined,
    isEvicted: false,
  } as const;

  it('is told with what would help', () => {
    expect(explain({ ...course, failure: 'sha1-signature' })).toMatchObject({
      reason: 'sha1-signature',
      explanation: expect.stringContaining('allow it with profile legacy'),
    });
    expect(explain({ ...course, isEncrypted: false })).toMatchObject({ reason: 'handshake', client: 'SSH-2.0-x' });
    expect(explain(course)).toMatchObject({ reason: 'no-login' });
    expect(explain({ ...course, isEvicted: true })).toMatchObject({ reason: 'gave-way' });
  });

  it('is not told when it was a knock without a word', () => {
    expect(explain({ ...course, kexInit: { ident: '', offer: null }, isEncrypted: false })).toBeUndefined();
  });
});
