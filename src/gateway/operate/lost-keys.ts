// What is said of API keys that were lost with the key file.
import type { SealedKey } from '#gateway/ledger/sealed.ts';

/** The command by which a person sets it anew. */
export function setAnew({ kind, id }: Omit<SealedKey, 'sealed'>): string {
  return `dropgate ${kind === 'API key of account' ? 'account' : 'partner'} rotate-key ${id} --api-key-stdin < key`;
}
