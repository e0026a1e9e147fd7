// Whether and where a receiver takes a document: looked up before it is taken from its sender, and remembered for a while.
import { LruCache } from '#runtime/cache.ts';
import { certificateIn, checkIssued } from './certificates.ts';
import { qualified, type Routing } from './identifiers.ts';
import type { Endpoint } from './metadata.ts';
import { findEndpoint, findRegistration, type SmpParts, trusting } from './smp.ts';

/** A found receiver is remembered for so long; an unknown one is looked up each time, since it may have been registered meanwhile. */
const KEEP_MS = 10 * 60_000;
const KEPT_MAX = 10_000;

/**
 * Finds the address of the receiver's access point. Throws `unknown-receiver` when the receiver certainly does not take the document, and
 * `internal` when that cannot be found out now.
 */
export type Lookup = (routing: Routing) => Promise<string>;

export function openLookup(parts: SmpParts): Lookup {
  const { clock } = parts;
  const known = new LruCache<{ readonly address: string; readonly untilMs: number }>(KEPT_MAX);
  return async (routing) => {
    const key = [routing.receiver, qualified(routing.documentType), qualified(routing.process)].join('\n');
    const kept = known.get(key);
    if (kept && clock.now() < kept.untilMs) return kept.address;
    const registration = await findRegistration(parts, routing.receiver);
    const address = trustedAddress(parts, await findEndpoint(parts, registration, routing));
    known.put(key, { address, untilMs: clock.now() + KEEP_MS });
    return address;
  };
}

function trustedAddress({ accessPointAuthorities: authorities, clock }: SmpParts, { address, certificate }: Endpoint): string {
  if (authorities === null) return address;
  trusting('The access point of the receiver', () =>
    checkIssued(certificateIn(certificate), authorities, 'accessPointAuthorities', clock.now()),
  );
  return address;
}
