// UUIDs that are made from a text.
import { v5 } from 'uuid';

/** Of Dropgate's own. */
const NAMESPACE = 'b0f0a5c2-6a0e-4c39-9d0c-2f6f0f3c9a51';

/** Always the same for the same text. */
export function uuidOf(text: string): string {
  return v5(text, NAMESPACE);
}
