import type { Clock } from '#runtime/clock.ts';

/** The core that takes a row to work on it, by its incarnation, and until when it has it at the most. */
export interface Hold {
  readonly holder: string;
  readonly nowMs: number;
  readonly heldUntil: number;
}

/** From now on, and for so long. */
export function holdFor({ incarnation, clock }: { readonly incarnation: string; readonly clock: Clock }, heldMs: number): Hold {
  const nowMs = clock.now();
  return { holder: incarnation, nowMs, heldUntil: nowMs + heldMs };
}
