// Checks certificates of the network: valid now, issued by an authority that the operator trusts, and the one that a redirect names.
import { X509Certificate } from 'node:crypto';
import { AppError } from '#domain/error.ts';

/** The certificate is valid at `nowMs` and was issued by one of these authorities (PEM), which `setting` names. Throws `invalid`. */
export function checkIssued(certificate: X509Certificate, authorities: string, setting: string, nowMs: number): void {
  if (nowMs < Date.parse(certificate.validFrom) || nowMs > endOf(certificate)) refuse('is not valid now');
  const issued = certificatesOf(authorities).some((issuer) => certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey));
  if (!issued) refuse(`was issued by none of the authorities in core.network.${setting}`);
}

/** Milliseconds since 1970, until when it is valid. */
export function endOf({ validTo }: Pick<X509Certificate, 'validTo'>): number {
  return Date.parse(validTo);
}

/** A certificate as an SMP writes it: DER in base64, with or without the lines of PEM around it. Throws `invalid`. */
export function certificateIn(text: string): X509Certificate {
  try {
    return new X509Certificate(Buffer.from(text.replace(/-----[A-Z ]+-----/g, ''), 'base64'));
  } catch {
    return refuse('cannot be read');
  }
}

const PEM = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/** The certificates of a PEM text. */
function certificatesOf(pem: string): X509Certificate[] {
  return (pem.match(PEM) ?? []).map((text) => new X509Certificate(text));
}

/** Attributes of a subject that name it by themselves. */
const NAMING: ReadonlySet<string> = new Set(['CN', 'UID', 'SERIALNUMBER']);

/**
 * The certificate is the one that a redirect names (CertificateUID): by its whole subject, in either order, or by its name
 * or number in it. Throws `invalid`.
 */
export function checkNamed({ subject }: Pick<X509Certificate, 'subject'>, uid: string): void {
  const own = attributesOf(subject.split('\n'));
  const named = attributesOf(uid.split(/(?<!\\),/));
  const isWhole = uid.trim() !== '' && own.toSorted().join('\n') === named.toSorted().join('\n');
  const isName = own.some((each) => {
    const [name = '', value] = split(each);
    return NAMING.has(name) && value === plain(uid);
  });
  if (!isWhole && !isName) refuse('is not the one that the redirect names');
}

/** Names in one spelling, values in lower case: SMPs write them as they like. */
function attributesOf(parts: readonly string[]): string[] {
  return parts.map((part) => {
    const [name, value] = split(part);
    return `${name.trim().toUpperCase()}=${plain(value.replaceAll('\\', ''))}`;
  });
}

function split(attribute: string): [name: string, value: string] {
  const [name = '', ...value] = attribute.split('=');
  return [name, value.join('=')];
}

function plain(text: string): string {
  return text.trim().replace(/\s+/g, ' ').toLowerCase();
}

function refuse(what: string): never {
  throw new AppError('invalid', `The certificate ${what}.`);
}
