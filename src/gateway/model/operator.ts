// What an operator may do on the page.

/** `look` sees everything, `act` may also change it. */
export const OPERATOR_ROLES = ['look', 'act'] as const;
export type OperatorRole = (typeof OPERATOR_ROLES)[number];
