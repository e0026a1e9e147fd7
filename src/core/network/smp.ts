// Looks a participant up: DNS names its SMP, the SMP lists its document types, and has signed metadata with the endpoint of each.
import type { X509Certificate } from 'node:crypto';
import { AppError, messageOf } from '#domain/error.ts';
import { PARTICIPANT_SCHEME } from '#domain/participant.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Outbound } from '#runtime/outbound/outbound.ts';
import { type NamedElement, readNamed } from '#ubl/canonical-xml.ts';
import { checkIssued, checkNamed } from './certificates.ts';
import { dnsNameOf, fitness, type Identifier, qualified } from './identifiers.ts';
import { documentTypesOf, type Endpoint, endpointOf, redirectOf } from './metadata.ts';
import type { FindSmp } from './naptr.ts';
import { verifySignature } from './signature.ts';

const SMP_MS_MAX = 5_000;
const ANSWER_BYTES_MAX = 1024 * 1024;

export interface SmpParts {
  readonly outbound: Pick<Outbound, 'request'>;
  readonly clock: Clock;
  readonly findSmp: FindSmp;
  readonly zone: string;
  /** PEM of the authorities that certify SMPs; null: any signature that holds counts. */
  readonly smpAuthorities: string | null;
  /** PEM of the authorities that certify access points; null: the access point that sends checks them. */
  readonly accessPointAuthorities: string | null;
}

/** A participant that its SMP knows. */
export interface Registration {
  readonly participant: string;
  /** The address of its service group. */
  readonly group: string;
  readonly documentTypes: readonly Identifier[];
}

/** Throws `unknown-receiver` when the participant is certainly not registered, and `internal` when that cannot be found out now. */
export async function findRegistration(parts: SmpParts, participant: string): Promise<Registration> {
  const smp = await parts.findSmp(dnsNameOf(participant, parts.zone));
  if (smp === null) throw absent(`The receiver ${participant} is not registered on the network. Check the address.`);
  const group = `${smp}/${encodeURIComponent(`${PARTICIPANT_SCHEME}::${participant}`)}`;
  const answer = await get(parts, group);
  if (!answer) throw absent(`The receiver ${participant} is registered on the network, but its SMP does not know it.`);
  return { participant, group, documentTypes: documentTypesOf(answer) };
}

/** A document type and its process; null: any process. */
interface Wanted {
  readonly documentType: Identifier;
  readonly process: Identifier | null;
}

/**
 * The participant's endpoint for a document type and process now, by the registered type that fits best. Throws `unknown-receiver` when there
 * is none, and `internal` when that cannot be found out now.
 */
export async function findEndpoint(
  parts: SmpParts,
  { participant, group, documentTypes }: Registration,
  { documentType, process }: Wanted,
): Promise<Endpoint> {
  const [best] = documentTypes
    .map((type) => ({ type, fits: fitness(type, documentType) }))
    .filter(({ fits }) => fits > 0)
    .sort((a, b) => b.fits - a.fits);
  const signed = best && (await getSigned(parts, `${group}/services/${encodeURIComponent(qualified(best.type))}`));
  if (!signed) throw absent(`The receiver ${participant} takes no documents of this type (${documentType.value}).`);
  const endpoint = endpointOf(signed, { participant, documentType: best.type, process }, parts.clock.now());
  if (endpoint) return endpoint;
  const by = process === null ? 'by AS4' : `by the process ${process.value}`;
  throw absent(`The receiver ${participant} takes documents of this type, but not ${by}, or not now.`);
}

/** Metadata whose signature holds; a redirect is followed once, to the signer that it names. Undefined when the SMP has none. */
async function getSigned(parts: SmpParts, url: string): Promise<NamedElement | undefined> {
  const first = await getChecked(parts, url);
  const elsewhere = first && redirectOf(first.signed);
  if (!elsewhere) return first?.signed;
  const { href, certificateUid } = elsewhere;
  if (!/^https?:/.test(href) || !URL.canParse(href)) throw new AppError('internal', 'The SMP of the receiver redirects nowhere.');
  const second = await getChecked(parts, href);
  if (!second) return undefined;
  trusting('The SMP of the receiver', () => checkNamed(second.certificate, certificateUid));
  if (redirectOf(second.signed)) throw new AppError('internal', 'The SMP of the receiver redirects twice.');
  return second.signed;
}

interface Checked {
  readonly signed: NamedElement;
  /** The signer's certificate. */
  readonly certificate: X509Certificate;
}

async function getChecked(parts: SmpParts, url: string): Promise<Checked | undefined> {
  const signed = await get(parts, url);
  if (!signed) return undefined;
  const { smpAuthorities, clock } = parts;
  const certificate = trusting('The SMP of the receiver', () => {
    const signer = verifySignature(signed);
    if (smpAuthorities !== null) checkIssued(signer, smpAuthorities, 'smpAuthorities', clock.now());
    return signer;
  });
  return { signed, certificate };
}

/** A forged response must not be able to say that there is no such receiver: an untrusted one is an `internal` error, tried again. */
export function trusting<Result>(who: string, check: () => Result): Result {
  try {
    return check();
  } catch (error) {
    throw new AppError('internal', `${who} cannot be trusted. ${messageOf(error)}`, { cause: error });
  }
}

/** The document at an address; undefined for 404. */
async function get({ outbound }: SmpParts, url: string): Promise<NamedElement | undefined> {
  const answer = await outbound
    .request({ method: 'GET', url, timeoutMs: SMP_MS_MAX, responseBytesMax: ANSWER_BYTES_MAX })
    .catch((error) => {
      throw new AppError('internal', `The SMP of the receiver cannot be reached. ${messageOf(error)}`, { cause: error });
    });
  if (answer.status === 404) return undefined;
  if (answer.status !== 200 || answer.cut) throw new AppError('internal', `The SMP of the receiver answered ${answer.status}.`);
  try {
    return readNamed(answer.body);
  } catch (error) {
    throw new AppError('internal', `The SMP of the receiver gives an answer that cannot be read. ${messageOf(error)}`, { cause: error });
  }
}

function absent(sentence: string): AppError {
  return new AppError('unknown-receiver', sentence);
}
