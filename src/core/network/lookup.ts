// Whether and where a participant receives a document: DNS says which SMP, the SMP says which types, processes and access point.
import type { X509Certificate } from 'node:crypto';
import type { Outbound } from '#core/outbound/outbound.ts';
import { AppError } from '#domain/error.ts';
import { PARTICIPANT_SCHEME } from '#domain/participant.ts';
import type { Clock } from '#runtime/clock.ts';
import { keepRecent } from '#runtime/recent.ts';
import { type NamedElement, readNamed } from '#ubl/canonical-xml.ts';
import { certificateIn, checkIssued, checkNamed } from './certificates.ts';
import { dnsNameOf, type Exchange, fitness, qualified } from './identifiers.ts';
import { documentTypesOf, type Endpoint, endpointOf, redirectOf } from './metadata.ts';
import type { FindSmp } from './naptr.ts';
import { verifySignature } from './signature.ts';

const SMP_MS_MAX = 5_000;
const ANSWER_BYTES_MAX = 1024 * 1024;
/** How long a yes is remembered. A no is asked for again each time: somebody may be registering just now. */
const KEEP_MS = 10 * 60_000;
const KEPT_MAX = 10_000;

export interface LookupParts {
  readonly outbound: Pick<Outbound, 'request'>;
  readonly clock: Clock;
  readonly findSmp: FindSmp;
  readonly zone: string;
  /** PEM of the authorities that certify SMPs; null: a signature must hold, whoever made it. */
  readonly smpAuthorities: string | null;
  /** PEM of the authorities that certify access points; null: whoever sends checks that. */
  readonly accessPointAuthorities: string | null;
}

/**
 * Finds the address of the receiver's access point. Throws `unknown-receiver` when the receiver certainly does not take the document, and
 * `internal` when nobody can say now.
 */
export type Lookup = (exchange: Exchange) => Promise<string>;

export function openLookup(parts: LookupParts): Lookup {
  const { clock } = parts;
  const known = keepRecent<{ readonly address: string; readonly untilMs: number }>(KEPT_MAX);
  return async (exchange) => {
    const key = [exchange.receiver, qualified(exchange.documentType), qualified(exchange.process)].join('\n');
    const kept = known.get(key);
    if (kept && clock.now() < kept.untilMs) return kept.address;
    const address = await find(parts, exchange);
    known.put(key, { address, untilMs: clock.now() + KEEP_MS });
    return address;
  };
}

async function find(parts: LookupParts, { receiver, documentType, process }: Exchange): Promise<string> {
  const smp = await parts.findSmp(dnsNameOf(receiver, parts.zone));
  if (smp === null) throw absent(`The receiver ${receiver} is not registered on the network. Check the address.`);

  const group = `${smp}/${encodeURIComponent(`${PARTICIPANT_SCHEME}::${receiver}`)}`;
  const groupAnswer = await get(parts, group);
  if (!groupAnswer) throw absent(`The receiver ${receiver} is registered on the network, but its SMP does not know it.`);
  const [best] = documentTypesOf(groupAnswer)
    .map((type) => ({ type, fits: fitness(type, documentType) }))
    .filter(({ fits }) => fits > 0)
    .sort((a, b) => b.fits - a.fits);
  const signed = best && (await getSigned(parts, `${group}/services/${encodeURIComponent(qualified(best.type))}`));
  if (!signed) throw absent(`The receiver ${receiver} takes no documents of this type (${documentType.value}).`);

  const asked = { participant: receiver, documentType: best.type, process };
  const endpoint = endpointOf(signed, asked, parts.clock.now());
  if (endpoint) return trustedAddress(parts, endpoint);
  throw absent(`The receiver ${receiver} takes documents of this type, but not by the process ${process.value}, or not now.`);
}

/** Metadata whose signature holds; a redirect is followed once, to the signer that it names. Undefined when the SMP has none. */
async function getSigned(parts: LookupParts, url: string): Promise<NamedElement | undefined> {
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
  /** Of whoever signed it. */
  readonly certificate: X509Certificate;
}

async function getChecked(parts: LookupParts, url: string): Promise<Checked | undefined> {
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

function trustedAddress({ accessPointAuthorities: authorities, clock }: LookupParts, { address, certificate }: Endpoint): string {
  if (authorities === null) return address;
  trusting('The access point of the receiver', () =>
    checkIssued(certificateIn(certificate), authorities, 'accessPointAuthorities', clock.now()),
  );
  return address;
}

/** Whoever forges an answer must not be able to say 'there is no such receiver': what cannot be trusted says nothing. */
function trusting<Result>(who: string, check: () => Result): Result {
  try {
    return check();
  } catch (error) {
    throw new AppError('internal', `${who} cannot be trusted. ${sentenceOf(error)}`, { cause: error });
  }
}

/** The document at an address; undefined for 404. */
async function get({ outbound }: LookupParts, url: string): Promise<NamedElement | undefined> {
  const answer = await outbound.request({ method: 'GET', url, timeoutMs: SMP_MS_MAX, answerMax: ANSWER_BYTES_MAX }).catch((error) => {
    throw new AppError('internal', `The SMP of the receiver cannot be reached. ${sentenceOf(error)}`, { cause: error });
  });
  if (answer.status === 404) return undefined;
  if (answer.status !== 200 || answer.cut) throw new AppError('internal', `The SMP of the receiver answered ${answer.status}.`);
  try {
    return readNamed(answer.body);
  } catch (error) {
    throw new AppError('internal', `The SMP of the receiver gives an answer that cannot be read. ${sentenceOf(error)}`, { cause: error });
  }
}

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : 'No reason is known.';
}

function absent(sentence: string): AppError {
  return new AppError('unknown-receiver', sentence);
}
