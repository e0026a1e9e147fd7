// The signature of an SMP's answer: enveloped, RSA-SHA256 (XML Signature 1.1), by a certificate that a trusted authority has issued.
// Only the one form that SMPs use is understood; whatever else comes counts as unsigned.
import { hash, timingSafeEqual, verify, X509Certificate } from 'node:crypto';
import { AppError } from '#domain/error.ts';
import { attributeNamed, canonicalXml, childrenNamed, type NamedElement, textIn } from '#ubl/canonical-xml.ts';

const DSIG = 'http://www.w3.org/2000/09/xmldsig#';
const ENVELOPED = `${DSIG}enveloped-signature`;
const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';
const SHA256 = 'http://www.w3.org/2001/04/xmlenc#sha256';
const INCLUSIVE = 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315';

/** Canonicalisations, and whether they are exclusive. */
const CANONICAL: ReadonlyMap<string, boolean> = new Map([
  [INCLUSIVE, false],
  ['http://www.w3.org/2001/10/xml-exc-c14n#', true],
]);

/** Throws `invalid` when the whole document is not signed in the one form that counts. Returns the certificate of the signer. */
export function verifySignature(root: NamedElement): X509Certificate {
  const signature = only(root, 'Signature');
  const signedInfo = only(signature, 'SignedInfo');
  const exclusive = exclusivity(algorithm(signedInfo, 'CanonicalizationMethod'));
  if (algorithm(signedInfo, 'SignatureMethod') !== RSA_SHA256) refuse('its algorithm is not RSA-SHA256');
  checkDigest(root, signature, only(signedInfo, 'Reference'));
  const certificate = certificateIn(signature);
  const key = certificate.publicKey;
  if (key.asymmetricKeyType !== 'rsa') refuse('its key is no RSA key');
  const signed = Buffer.from(canonicalXml(signedInfo, { exclusive }));
  if (!verify('sha256', signed, key, base64(only(signature, 'SignatureValue')))) refuse('it was not made with the key that it names');
  return certificate;
}

/** The digest must be that of the whole document without the signature itself. */
function checkDigest(root: NamedElement, signature: NamedElement, reference: NamedElement): void {
  if (attributeNamed(reference, 'URI') !== '') refuse('it is not about the whole document');
  const [first, second = INCLUSIVE, ...more] = childrenNamed(only(reference, 'Transforms'), DSIG, 'Transform').map(plainAlgorithm);
  if (first !== ENVELOPED || more.length > 0) refuse('its transforms are not those of an enveloped signature');
  if (algorithm(reference, 'DigestMethod') !== SHA256) refuse('its digest is not SHA-256');
  const text = canonicalXml(root, { exclusive: exclusivity(second), without: signature });
  const digest = hash('sha256', text, 'buffer');
  const stated = base64(only(reference, 'DigestValue'));
  if (stated.length !== digest.length || !timingSafeEqual(stated, digest)) refuse('the document was changed after it was signed');
}

function exclusivity(name: string): boolean {
  return CANONICAL.get(name) ?? refuse('its canonicalisation is not known');
}

function certificateIn(signature: NamedElement): X509Certificate {
  // The signer's comes first; what may follow are those above it.
  const [own] = childrenNamed(only(only(signature, 'KeyInfo'), 'X509Data'), DSIG, 'X509Certificate');
  if (!own) refuse('it names no certificate');
  try {
    return new X509Certificate(base64(own));
  } catch {
    return refuse('its certificate cannot be read');
  }
}

function only(parent: NamedElement, name: string): NamedElement {
  const [found, ...more] = childrenNamed(parent, DSIG, name);
  return found && more.length === 0 ? found : refuse(`${parent.name} must have one ${name}`);
}

function algorithm(parent: NamedElement, name: string): string {
  return plainAlgorithm(only(parent, name));
}

/** Parameters, such as a list of prefixes, would change what is computed. */
function plainAlgorithm(element: NamedElement): string {
  if (element.children.some((child) => typeof child !== 'string')) refuse(`${element.name} has parameters`);
  return attributeNamed(element, 'Algorithm') ?? refuse(`${element.name} has no Algorithm`);
}

function refuse(what: string): never {
  throw new AppError('invalid', `The signature does not hold: ${what}.`);
}

function base64(element: NamedElement): Buffer {
  return Buffer.from(textIn(element), 'base64');
}
