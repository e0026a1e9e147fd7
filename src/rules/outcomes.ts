// What can come of judging, for those who leave the judging to others.

export const STATES = ['valid', 'invalid', 'unreadable'] as const;
export type State = (typeof STATES)[number];

/** A finding of its own: an account may be allowed to send what we have no rules for. */
export const UNKNOWN_PROFILE = 'unknown-profile';
