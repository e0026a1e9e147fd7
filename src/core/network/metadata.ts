// What an SMP says (Peppol SMP 1.4): which document types a participant takes, and for one of them by which processes and where.
import { AppError } from '#domain/error.ts';
import { attributeNamed, childrenNamed, type NamedElement, textIn } from '#ubl/canonical-xml.ts';
import { type Identifier, qualified } from './identifiers.ts';

const SMP = 'http://busdox.org/serviceMetadata/publishing/1.0/';
const IDS = 'http://busdox.org/transport/identifiers/1.0/';
const ADDRESSING = 'http://www.w3.org/2005/08/addressing';
const AS4 = 'peppol-transport-as4-v2_0';

/** The document types of a service group: each reference's address ends in `/services/IDENTIFIER`. */
export function documentTypesOf(group: NamedElement): Identifier[] {
  check(group, 'ServiceGroup');
  const collection = child(group, SMP, 'ServiceMetadataReferenceCollection');
  return (collection ? childrenNamed(collection, SMP, 'ServiceMetadataReference') : []).flatMap((reference) => {
    const href = attributeNamed(reference, 'href');
    return identifierOf(href?.split('/services/').at(-1) ?? '') ?? [];
  });
}

function identifierOf(encoded: string): Identifier | undefined {
  try {
    const [scheme, ...value] = decodeURIComponent(encoded).split('::');
    return scheme && value.length > 0 ? { scheme, value: value.join('::') } : undefined;
  } catch {
    return undefined;
  }
}

interface Redirect {
  readonly href: string;
  /** Names the certificate with which the metadata is signed there. */
  readonly certificateUid: string;
}

/** Where else the metadata is kept; null when it is here. */
export function redirectOf(signed: NamedElement): Redirect | null {
  const redirect = child(metadataOf(signed), SMP, 'Redirect');
  return redirect ? { href: attributeNamed(redirect, 'href') ?? '', certificateUid: optionalText(redirect, 'CertificateUID') } : null;
}

export interface Endpoint {
  readonly address: string;
  /** Of the receiver's access point: DER in base64, or what stands in its place. */
  readonly certificate: string;
}

/** Which metadata was asked for, and what for. */
interface Asked {
  readonly participant: string;
  readonly documentType: Identifier;
  /** Null: any. */
  readonly process: Identifier | null;
}

/**
 * The receiver's access point for a process; undefined when it takes none at `nowMs`. Throws `internal`, also for metadata of something
 * else: it may be signed and all the same put in the place of what was asked for.
 */
export function endpointOf(signed: NamedElement, { participant, documentType, process }: Asked, nowMs: number): Endpoint | undefined {
  const information = need(metadataOf(signed), SMP, 'ServiceInformation');
  const about = textIn(need(information, IDS, 'ParticipantIdentifier')).trim();
  if (about.toLowerCase() !== participant.toLowerCase()) throw unusable('it is about another participant');
  if (!isIdentifier(need(information, IDS, 'DocumentIdentifier'), documentType)) throw unusable('it is about another document type');
  return childrenNamed(need(information, SMP, 'ProcessList'), SMP, 'Process')
    .filter((each) => process === null || isIdentifier(need(each, IDS, 'ProcessIdentifier'), process))
    .flatMap((each) => childrenNamed(need(each, SMP, 'ServiceEndpointList'), SMP, 'Endpoint'))
    .filter((endpoint) => attributeNamed(endpoint, 'transportProfile') === AS4 && isActive(endpoint, nowMs))
    .map((endpoint) => ({
      address: textIn(need(need(endpoint, ADDRESSING, 'EndpointReference'), ADDRESSING, 'Address')).trim(),
      certificate: optionalText(endpoint, 'Certificate'),
    }))[0];
}

function isIdentifier(element: NamedElement, wanted: Identifier): boolean {
  return qualified({ scheme: attributeNamed(element, 'scheme') ?? '', value: textIn(element).trim() }) === qualified(wanted);
}

/** Both days are optional; what is no date does not restrict. */
function isActive(endpoint: NamedElement, nowMs: number): boolean {
  const from = Date.parse(optionalText(endpoint, 'ServiceActivationDate'));
  const to = Date.parse(optionalText(endpoint, 'ServiceExpirationDate'));
  return !(nowMs < from) && !(nowMs >= to);
}

function optionalText(parent: NamedElement, name: string): string {
  const found = child(parent, SMP, name);
  return found ? textIn(found).trim() : '';
}

function metadataOf(signed: NamedElement): NamedElement {
  check(signed, 'SignedServiceMetadata');
  return need(signed, SMP, 'ServiceMetadata');
}

function check(root: NamedElement, name: string): void {
  if (root.namespace !== SMP || root.name !== name) throw unusable(`it is no ${name}`);
}

function need(parent: NamedElement, namespace: string, name: string): NamedElement {
  const found = child(parent, namespace, name);
  if (!found) throw unusable(`${parent.name} has no ${name}`);
  return found;
}

function child(parent: NamedElement, namespace: string, name: string): NamedElement | undefined {
  return childrenNamed(parent, namespace, name)[0];
}

function unusable(what: string): AppError {
  return new AppError('internal', `The SMP of the receiver gives an answer that cannot be used: ${what}.`);
}
