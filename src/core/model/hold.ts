/** The core that takes a row to work on it, by its incarnation, and until when it has it at the most. */
export interface Hold {
  readonly holder: string;
  readonly nowMs: number;
  readonly heldUntil: number;
}
