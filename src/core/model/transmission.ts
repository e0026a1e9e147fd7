// The states of a transmission, as they are told.

export const TRANSMISSION_STATES = ['waiting', 'handed', 'failed', 'silent', 'done', 'replaced'] as const;
/**
 * `waiting`: to be handed over. `handed`: the access point has it, and is asked. `silent`: it never reported the outcome. `replaced`: a
 * later version or try goes in its place.
 */
export type TransmissionState = (typeof TRANSMISSION_STATES)[number];
