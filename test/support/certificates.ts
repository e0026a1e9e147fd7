// X.509 certificates for tests, by node:crypto and a library of their structure: no test needs openssl.
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import {
  AlgorithmIdentifier,
  AttributeTypeAndValue,
  AttributeValue,
  BasicConstraints,
  Certificate,
  Extension,
  Extensions,
  GeneralName,
  id_ce_basicConstraints,
  id_ce_subjectAltName,
  Name,
  RelativeDistinguishedName,
  SubjectAlternativeName,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity,
  Version,
} from '@peculiar/asn1-x509';

export interface Certified {
  readonly name: string;
  /** PEM, both. */
  readonly certificate: string;
  readonly key: string;
  readonly privateKey: KeyObject;
}

export interface Wanted {
  /** The common name. */
  readonly name: string;
  readonly kind: 'rsa' | 'ec';
  /** Who issues it; itself, unless told. */
  readonly by?: Certified;
  /** Whether it may issue others: then its own text says so. */
  readonly isAuthority?: boolean;
  readonly names?: { readonly ip: readonly string[]; readonly dns: readonly string[] };
  /** Milliseconds since 1970: from yesterday for ten years, unless told. */
  readonly from?: number;
  readonly until?: number;
}

const DAY_MS = 86_400_000;
const COMMON_NAME = '2.5.4.3';
/** With SHA-256. RSA's has parameters, which are nothing. */
const SIGNATURES = {
  rsa: new AlgorithmIdentifier({ algorithm: '1.2.840.113549.1.1.11', parameters: null }),
  ec: new AlgorithmIdentifier({ algorithm: '1.2.840.10045.4.3.2' }),
};

/** A new key and its certificate. */
export function certified({ name, kind, by, isAuthority, names, from, until }: Wanted): Certified {
  const { publicKey, privateKey } =
    kind === 'rsa' ? generateKeyPairSync('rsa', { modulusLength: 2048 }) : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const issuer = by?.privateKey ?? privateKey;
  const signatureAlgorithm = SIGNATURES[issuer.asymmetricKeyType === 'rsa' ? 'rsa' : 'ec'];
  const now = Date.now();
  const tbsCertificate = new TBSCertificate({
    version: Version.v3,
    // The first bit would be its sign.
    serialNumber: bytesOf(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    signature: signatureAlgorithm,
    issuer: named(by?.name ?? name),
    validity: new Validity({ notBefore: new Date(from ?? now - DAY_MS), notAfter: new Date(until ?? now + 3_650 * DAY_MS) }),
    subject: named(name),
    subjectPublicKeyInfo: AsnConvert.parse(publicKey.export({ type: 'spki', format: 'der' }), SubjectPublicKeyInfo),
    ...extensionsOf(isAuthority, names),
  });
  const signature = sign('sha256', Buffer.from(AsnConvert.serialize(tbsCertificate)), issuer);
  const der = AsnConvert.serialize(new Certificate({ tbsCertificate, signatureAlgorithm, signatureValue: bytesOf(signature) }));
  const lines = Buffer.from(der)
    .toString('base64')
    .replaceAll(/.{64}(?=.)/g, '$&\n');
  return {
    name,
    certificate: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    privateKey,
  };
}

function named(name: string): Name {
  const value = new AttributeValue({ utf8String: name });
  return new Name([new RelativeDistinguishedName([new AttributeTypeAndValue({ type: COMMON_NAME, value })])]);
}

function extensionsOf(isAuthority = false, names?: Wanted['names']): { extensions?: Extensions } {
  const all: Extension[] = [];
  const add = (extnID: string, critical: boolean, value: unknown): void =>
    void all.push(new Extension({ extnID, critical, extnValue: new OctetString(AsnConvert.serialize(value)) }));
  if (isAuthority) add(id_ce_basicConstraints, true, new BasicConstraints({ cA: true }));
  if (names) {
    const general = [
      ...names.ip.map((iPAddress) => new GeneralName({ iPAddress })),
      ...names.dns.map((dNSName) => new GeneralName({ dNSName })),
    ];
    add(id_ce_subjectAltName, false, new SubjectAlternativeName(general));
  }
  return all.length > 0 ? { extensions: new Extensions(all) } : {};
}

function bytesOf(buffer: Buffer): ArrayBuffer {
  const copy = new ArrayBuffer(buffer.byteLength);
  new Uint8Array(copy).set(buffer);
  return copy;
}
