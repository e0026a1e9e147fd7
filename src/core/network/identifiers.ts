// Identifiers of the Peppol network: of participants in DNS, of document types and of processes (Policy for use of Identifiers 4).
import { hash } from 'node:crypto';
import { type DocumentHead, fatal, refusedFor } from '#domain/document.ts';
import { type FamilyName, familyNamed } from '#domain/family.ts';
import { base32, RFC4648 } from '#domain/id.ts';
import { PARTICIPANT_SCHEME } from '#domain/participant.ts';
import { PROFILES } from '#domain/profiles.ts';

export const PROCESS_SCHEME = 'cenbii-procid-ubl';
/** Exact values, and values of which an SMP may register the beginning. */
export const EXACT_SCHEME = 'busdox-docid-qns';
const WILDCARD_SCHEME = 'peppol-doctype-wildcard';

export interface Identifier {
  readonly scheme: string;
  readonly value: string;
}

/** What travels, from whom to whom. */
export interface Routing {
  readonly sender: string;
  readonly receiver: string;
  readonly documentType: Identifier;
  readonly process: Identifier;
}

/** The zones of Peppol's own SML, since March 2026. */
export const SML_ZONES = {
  test: 'participant.sml.test.tech.peppol.org',
  production: 'participant.sml.prod.tech.peppol.org',
} as const;

/** The name under which a participant is found: `BASE32(SHA256(value)).iso6523-actorid-upis.ZONE`. */
export function dnsNameOf(participant: string, zone: string): string {
  const label = base32(hash('sha256', participant.toLowerCase(), 'buffer'), RFC4648).toLowerCase();
  return `${label}.${PARTICIPANT_SCHEME}.${zone}`;
}

export function qualified({ scheme, value }: Identifier): string {
  return `${scheme}::${value}`;
}

/** Throws `invalid` when the document does not say what the network must know of it. */
export function routingOf(head: DocumentHead): Routing {
  const { family, sender, receiver, customizationId, profileId } = head;
  if (customizationId === null || profileId === null) {
    const missing = customizationId === null ? 'CustomizationID' : 'ProfileID';
    const message = `The ${family} has no ${missing}, by which the network tells what it is: write it into cbc:${missing}.`;
    throw refusedFor([fatal('network-address', message)]);
  }
  return { sender, receiver, documentType: documentTypeOf(family, customizationId), process: { scheme: PROCESS_SCHEME, value: profileId } };
}

/** As the documents of a family with this CustomizationID are registered. */
export function documentTypeOf(family: FamilyName, customizationId: string): Identifier {
  const { namespace, name } = familyNamed(family);
  const scheme = customizationId.startsWith('urn:peppol:pint:') ? WILDCARD_SCHEME : EXACT_SCHEME;
  return { scheme, value: `${namespace}::${name}##${customizationId}::${ublVersion(family, customizationId)}` };
}

function ublVersion(family: string, customizationId: string): string {
  const later = PROFILES.find(({ roots, ubl, customizationId: known }) => {
    return ubl === '2.3' && roots.includes(family) && customizationId.startsWith(known);
  });
  return later?.ubl ?? '2.1';
}

/**
 * How well a registered document type fits: higher is better, 0 is not at all. The very type is best; of wildcards the longest.
 */
export function fitness(registered: Identifier, wanted: Identifier): number {
  if (registered.value === wanted.value && (registered.scheme === EXACT_SCHEME || registered.scheme === wanted.scheme)) {
    return Number.MAX_SAFE_INTEGER;
  }
  if (registered.scheme !== WILDCARD_SCHEME || wanted.scheme !== WILDCARD_SCHEME) return 0;
  // `…##urn:peppol:pint:billing-1*::2.1`: what follows the star is the version.
  const [beginning, rest, ...more] = registered.value.split('*');
  if (beginning === undefined || rest === undefined || more.length > 0) return 0;
  return wanted.value.startsWith(beginning) && wanted.value.endsWith(rest) ? beginning.length : 0;
}
