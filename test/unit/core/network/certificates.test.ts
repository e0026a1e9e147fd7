// Certificates that the network names: the one that a redirect means, however it is spelt, and those of trusted authorities.
import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { certificateIn, checkIssued, checkNamed } from '#core/network/certificates.ts';
import { smpSigner } from '../../../support/smp.ts';

const named =
  (subject: string, uid: string): (() => void) =>
  () =>
    checkNamed({ subject }, uid);
const SUBJECT = 'C=NO\nO=Norsk, AS\nCN=PNO000001';

describe('the certificate that a redirect names', () => {
  it.each([
    ['CN=PNO000001,O=Norsk\\, AS,C=NO'],
    ['C=NO, O=Norsk\\, AS, CN=PNO000001'],
    ['cn=pno000001, o=norsk\\,  as, c=no'],
    ['PNO000001'],
    [' pno000001 '],
  ])('is meant by %s', (uid) => {
    expect(named(SUBJECT, uid)).not.toThrow();
  });

  it.each([
    [''],
    ['NO'],
    ['Norsk, AS'],
    ['CN=PNO000001'],
    ['CN=PNO000001,O=Norsk\\, AS'],
    ['CN=PNO000002,O=Norsk\\, AS,C=NO'],
    ['PNO0000012'],
  ])("is not meant by '%s'", (uid) => {
    expect(named(SUBJECT, uid)).toThrow('not the one that the redirect names');
  });

  it('is not meant by nothing, where it has no subject', () => {
    expect(named('', '')).toThrow();
  });
});

describe('a certificate', () => {
  const { certificate, authority } = smpSigner();
  const inBase64 = certificate.replace(/-----[A-Z ]+-----|\s/g, '');
  const now = Date.now() + 60_000;

  it.each([
    ['in base64', inBase64],
    ['in lines', inBase64.replace(/(.{64})/g, '$1\n')],
    ['as PEM', certificate],
  ])('is read %s, and believed when a trusted authority has issued it', (_, text) => {
    expect(() => checkIssued(certificateIn(text), authority, 'smpAuthorities', now)).not.toThrow();
  });

  it('is not believed when another authority has issued it, or at another time', () => {
    const read = certificateIn(certificate);
    expect(() => checkIssued(read, smpSigner('Mallory').authority, 'smpAuthorities', now)).toThrow('core.network.smpAuthorities');
    expect(() => checkIssued(read, '', 'smpAuthorities', now)).toThrow('none of the authorities');
    expect(() => checkIssued(read, authority, 'smpAuthorities', 0)).toThrow('not valid now');
  });

  it('is believed from the first to the last moment of its validity, and not beside it', () => {
    const read = certificateIn(certificate);
    const [from, to] = [Date.parse(read.validFrom), Date.parse(read.validTo)];
    const checked = (nowMs: number) => () => checkIssued(read, authority, 'smpAuthorities', nowMs);
    for (const nowMs of [from, to]) expect(checked(nowMs)).not.toThrow();
    for (const nowMs of [from - 1, to + 1]) expect(checked(nowMs)).toThrow('not valid now');
  });

  it('is not believed when it names a trusted authority that has not signed it', () => {
    const changed = (place: (der: Buffer) => number): X509Certificate => {
      const der = Buffer.from(new X509Certificate(certificate).raw);
      const at = place(der);
      der.writeUInt8(der.readUInt8(at) ^ 1, at);
      return new X509Certificate(der);
    };
    const { publicKey } = new X509Certificate(certificate);
    const key = publicKey.export({ format: 'der', type: 'spki' });
    // Another key in the place of the one that was certified, which the forger has.
    const keyEnd = (der: Buffer): number => der.indexOf(key) + key.length - 6;
    for (const forged of [changed(keyEnd), changed((der) => der.length - 1)]) {
      expect(forged.issuer).toBe(new X509Certificate(authority).subject);
      expect(() => checkIssued(forged, authority, 'smpAuthorities', now)).toThrow('none of the authorities');
    }
  });

  it('is believed when any of several authorities has issued it', () => {
    const several = `${smpSigner('Mallory').authority}\n${authority}`;
    expect(() => checkIssued(certificateIn(certificate), several, 'smpAuthorities', now)).not.toThrow();
  });

  it.each([[''], ['rubbish'], ['<a/>']])("that is '%s' cannot be read", (text) => {
    expect(() => certificateIn(text)).toThrow('cannot be read');
  });
});
