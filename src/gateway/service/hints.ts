// Hints of a remote service: our listener for them, and its registration at the service for the accounts that want it.
import { readHint } from '#gateway/ledger/hints.ts';
import type { LogThrottle } from '#runtime/log-throttle.ts';
import { type ListenParts, type ListenSettings, startListening } from './hint-listener.ts';
import { type RegisterParts, startRegistering } from './hint-registration.ts';

interface HintParts extends Omit<RegisterParts, 'url'>, Pick<ListenParts, 'ring'> {
  /** `url`: the address at which the service reaches the listener; null registers nowhere. Without settings there is no listener. */
  readonly settings: (ListenSettings & { readonly url: string | null }) | undefined;
  readonly throttle: LogThrottle;
}

interface Hints {
  /** Base address of the listener; null when there is none. */
  readonly url: string | null;
  /** Brings the registrations into line with what accounts want now. */
  review(): Promise<void>;
  close(): Promise<void>;
}

/** Throws `usage` or `locked` when it cannot listen. */
export async function startHints(parts: HintParts): Promise<Hints> {
  const { settings, accounts, ledger } = parts;
  const listen = settings?.listen;
  async function secretOf(accountRegNo: string): Promise<string | undefined> {
    // Read for accounts that are not here, too: the time of a refusal shall not tell which are.
    const known = await readHint(ledger.read, accountRegNo);
    return accounts.find(accountRegNo) && known?.secretSha256;
  }
  const listener = settings && listen ? await startListening({ ...parts, settings, listen, secretOf }) : null;
  const registrar = startRegistering({ ...parts, url: settings?.url ?? null });
  return {
    url: listener?.url ?? null,
    review: registrar.review,
    async close() {
      await listener?.close();
      await registrar.close();
    },
  };
}
