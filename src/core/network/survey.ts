// Looks a participant of ours up as another sender would, and compares that with the operator's settings.
import { dayOf } from '#domain/day.ts';
import { AppError } from '#domain/error.ts';
import { isFamilyName } from '#domain/family.ts';
import { EXCHANGED_PROFILES } from '#domain/profiles.ts';
import { certificateIn, checkIssued, endOf } from './certificates.ts';
import { dnsNameOf, documentTypeOf, type Identifier } from './identifiers.ts';
import { siblingsOf } from './meant.ts';
import type { Endpoint } from './metadata.ts';
import { findEndpoint, findRegistration, type Registration, type SmpParts } from './smp.ts';

/**
 * `absent`: not registered. `missing-type`: a document type is not, or has no endpoint now. `elsewhere`: a type goes to another access point.
 * `certificate`: the access point's ends soon, or cannot be used. `beside`: a Belgian company is registered by its VAT number, too.
 */
type DifferenceKind = 'absent' | 'missing-type' | 'elsewhere' | 'certificate' | 'beside';

interface Difference {
  readonly what: DifferenceKind;
  /** The type, the address, the day, or a sentence. */
  readonly detail: string;
}

export interface Surveyed {
  readonly differences: readonly Difference[];
  /** Of the access point, of the first type that is registered; null when there is none. */
  readonly address: string | null;
  /** The earliest end of the access point's certificates. */
  readonly certificateEndsAt: number | null;
}

export interface SurveySettings {
  /** Names of profiles whose documents each participant is to be registered for. */
  readonly watchProfiles: readonly string[];
  /** As it is registered in SMPs. */
  readonly ownAccessPoint: string | null;
}

interface Own {
  readonly participant: string;
  /** Of the access point, when it was looked up first. */
  readonly firstAddress: string | null;
  /** An address of the same company that should not be registered (`twinOf`). */
  readonly twin: string | null;
}

/** Throws `internal` when that cannot be found out now. */
export type Survey = (own: Own) => Promise<Surveyed>;

const DAY_MS = 24 * 60 * 60_000;
const ENDS_SOON_MS = 30 * DAY_MS;
/** Of what an SMP says. */
const DETAIL_CHARACTERS_MAX = 500;

export function openSurvey(parts: SmpParts, { watchProfiles, ownAccessPoint }: SurveySettings): Survey {
  const wanted = watchProfiles.flatMap(typesOf);
  return async ({ participant, firstAddress, twin }) => {
    const beside = twin !== null && (await parts.findSmp(dnsNameOf(twin, parts.zone))) !== null ? [difference('beside', twin)] : [];
    const registration = await unlessAbsent(findRegistration(parts, participant));
    if (!registration) return { differences: [difference('absent'), ...beside], address: null, certificateEndsAt: null };
    const { endpoints, missing } = await endpointsOf(parts, registration, wanted);
    const addresses = endpoints.map(({ address }) => plain(address));
    const [address = null] = addresses;
    const own = ownAccessPoint === null ? (firstAddress ?? address) : plain(ownAccessPoint);
    const certificates = endpoints.map(({ certificate }) => judged(parts, certificate));
    return {
      differences: distinct([
        ...missing.map((name) => difference('missing-type', name)),
        ...addresses.filter((each) => each !== own).map((each) => difference('elsewhere', each)),
        ...certificates.flatMap(({ wrong }) => (wrong === null ? [] : [difference('certificate', wrong)])),
        ...beside,
      ]),
      address,
      certificateEndsAt: earliest(certificates.flatMap(({ endsAt }) => endsAt ?? [])),
    };
  };
}

interface Type {
  /** As people read it. */
  readonly name: string;
  readonly documentType: Identifier;
}

function typesOf(profile: string): Type[] {
  const { roots = [], customizationId = '' } = EXCHANGED_PROFILES.get(profile) ?? {};
  return roots.filter(isFamilyName).map((family) => ({
    name: `${family} (${profile})`,
    documentType: documentTypeOf(family, customizationId),
  }));
}

/** By whatever process: a profile has one or several, and its access point registers them together. */
async function endpointsOf(
  parts: SmpParts,
  registration: Registration,
  wanted: readonly Type[],
): Promise<{ endpoints: Endpoint[]; missing: string[] }> {
  const endpoints: Endpoint[] = [];
  const missing: string[] = [];
  for (const { name, documentType } of wanted) {
    const endpoint = await unlessAbsent(findEndpoint(parts, registration, { documentType, process: null }));
    if (endpoint) endpoints.push(endpoint);
    else missing.push(name);
  }
  return { endpoints, missing };
}

/** When a certificate ends, and its fault. */
function judged({ clock, accessPointAuthorities }: SmpParts, text: string): { endsAt: number | null; wrong: string | null } {
  const now = clock.now();
  let endsAt: number | null = null;
  try {
    const certificate = certificateIn(text);
    endsAt = endOf(certificate);
    if (endsAt - now < ENDS_SOON_MS) return { endsAt, wrong: `It ends on ${dayOf(endsAt)}.` };
    if (accessPointAuthorities !== null) checkIssued(certificate, accessPointAuthorities, 'accessPointAuthorities', now);
    return { endsAt, wrong: null };
  } catch (error) {
    if (error instanceof AppError) return { endsAt, wrong: error.message };
    throw error;
  }
}

/**
 * The address by VAT number (9925) of a Belgian company that has one by its number in the register (0208), which is the one that all must have.
 * Senders who find both may take either.
 */
export function twinOf(participant: string): string | null {
  return participant.startsWith('0208:') ? (siblingsOf(participant)[0] ?? null) : null;
}

async function unlessAbsent<Found>(found: Promise<Found>): Promise<Found | undefined> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof AppError && error.code === 'unknown-receiver') return undefined;
    throw error;
  }
}

function difference(what: DifferenceKind, detail = ''): Difference {
  return { what, detail };
}

/** Addresses that differ in their spelling only are the same. */
function plain(address: string): string {
  return (URL.canParse(address) ? new URL(address).href : address).replace(/\/$/, '').slice(0, DETAIL_CHARACTERS_MAX);
}

function distinct(differences: readonly Difference[]): Difference[] {
  return [...new Map(differences.map((each) => [`${each.what} ${each.detail}`, each])).values()];
}

function earliest(times: readonly number[]): number | null {
  return times.length === 0 ? null : Math.min(...times);
}
