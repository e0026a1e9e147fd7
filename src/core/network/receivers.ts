// Whether a receiver can receive, and what: an account of this core everything, anyone else what its SMP lists. Answers of the network are kept for a while.
import { RECEIVER_KEPT_MS, type Receiver } from '#contract/addresses.ts';
import { accountOfParticipant } from '#core/ledger/accounts.ts';
import type { Ledger } from '#core/ledger/schema.ts';
import { AppError } from '#domain/error.ts';
import { FAMILY_NAMES } from '#domain/family.ts';
import { EXCHANGED_PROFILES } from '#domain/profiles.ts';
import { LruCache } from '#runtime/cache.ts';
import type { Clock } from '#runtime/clock.ts';
import { KeyedMutex, Semaphore } from '#runtime/concurrency.ts';
import { documentTypeOf, fitness, type Identifier } from './identifiers.ts';
import { alternativesOf, checkDigitFault } from './meant.ts';
import type { Network } from './network.ts';

const KEPT_MAX = 10_000;
/** Look-ups of all accounts together: DNS and SMPs are other people's. */
const AT_ONCE_MAX = 8;

interface ReceiversParts {
  readonly ledger: Pick<Ledger, 'read'>;
  readonly network: Pick<Network, 'documentTypes'>;
  readonly clock: Clock;
}

/** Looks an address up, in its normal form. */
export type Receivers = (participant: string) => Promise<Receiver>;

type Found = Pick<Receiver, 'canReceive' | 'reason' | 'takes'>;

interface Known extends Found {
  readonly askedAtMs: number;
}

export function openReceivers({ ledger, network, clock }: ReceiversParts): Receivers {
  const kept = new LruCache<Known>(KEPT_MAX);
  const asking = new KeyedMutex();
  const places = new Semaphore(AT_ONCE_MAX);

  async function known(participant: string): Promise<Known> {
    if ((await accountOfParticipant(ledger.read, participant)) !== undefined) return { ...EVERYTHING, askedAtMs: clock.now() };
    return asking.run(participant, async () => {
      const before = kept.get(participant);
      if (before && clock.now() < before.askedAtMs + RECEIVER_KEPT_MS) return before;
      const found = { ...(await places.run(() => lookedUp(network, participant))), askedAtMs: clock.now() };
      // What could not be found out is asked again.
      if (found.canReceive !== 'unknown') kept.put(participant, found);
      return found;
    });
  }

  async function meantBy(participant: string): Promise<string | null> {
    for (const each of alternativesOf(participant)) if ((await known(each)).canReceive === 'yes') return each;
    return null;
  }

  return async (receiver) => {
    const { canReceive, reason, takes, askedAtMs } = await known(receiver);
    const ageMs = (): number => Math.max(0, clock.now() - askedAtMs);
    if (canReceive !== 'no') return { receiver, canReceive, reason, takes, meant: null, ageMs: ageMs() };
    const sentences = [reason, checkDigitFault(receiver)].filter(Boolean).join(' ');
    return { receiver, canReceive, reason: sentences, takes, meant: await meantBy(receiver), ageMs: ageMs() };
  };
}

async function lookedUp(network: ReceiversParts['network'], participant: string): Promise<Found> {
  try {
    const registered = await network.documentTypes(participant);
    const takes = takenWhere((wanted) => registered.some((type) => fitness(type, wanted) > 0));
    if (takes.length > 0) return { canReceive: 'yes', reason: null, takes };
    const reason = `The receiver ${participant} is registered on the network, but for no documents that are exchanged here.`;
    return { canReceive: 'no', reason, takes };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { canReceive: error.code === 'unknown-receiver' ? 'no' : 'unknown', reason: error.message, takes: [] };
  }
}

/** What is exchanged here as far as the receiver takes it, by family. */
function takenWhere(isTaken: (type: Identifier) => boolean): Found['takes'] {
  return FAMILY_NAMES.map((family) => ({
    family,
    profiles: [...EXCHANGED_PROFILES.values()]
      .filter(({ roots, customizationId }) => roots.includes(family) && isTaken(documentTypeOf(family, customizationId)))
      .map(({ name }) => name),
  })).filter(({ profiles }) => profiles.length > 0);
}

/** Accounts of this core take what is exchanged here. */
const EVERYTHING: Found = { canReceive: 'yes', reason: null, takes: takenWhere(() => true) };
