// Which node owns a home: rendezvous hashing. Every node computes the same, and where one comes or goes only its own homes change hands.
import { hash } from 'node:crypto';

/** One of the names; undefined where there is none. */
export function ownerOf(home: string, names: readonly string[]): string | undefined {
  let [owner, most]: [string | undefined, string] = [undefined, ''];
  for (const name of names) {
    const weight = hash('sha256', JSON.stringify([name, home]));
    if (weight > most) [owner, most] = [name, weight];
  }
  return owner;
}
