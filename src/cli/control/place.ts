// What a command and the daemon that it asks by the control socket have in common.

/** By this both know that they have the same operations. */
export const VERSION_HEADER = 'dropgate-version';

/** Who asks, percent-encoded: believed, for none but the owner of the folder, and root, reach the socket. */
export const CALLER_HEADER = 'dropgate-caller';

/** What the daemon answers, a line of JSON each: how far it is, and in the end the answer or why there is none. */
export interface ControlLine {
  readonly progress?: string;
  readonly answer?: unknown;
  readonly error?: { readonly code: string; readonly message: string };
}
