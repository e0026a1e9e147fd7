// How a state is to be taken at a glance: well, still open, or bad.

type Tone = 'good' | 'open' | 'bad';

const TONES: Readonly<Record<string, Tone>> = {
  accepted: 'good',
  active: 'good',
  delivered: 'good',
  well: 'good',
  ok: 'good',
  valid: 'good',
  pending: 'open',
  waiting: 'open',
  warning: 'open',
  cancelled: 'open',
  held: 'bad',
  problem: 'bad',
  refused: 'bad',
  rejected: 'bad',
  failed: 'bad',
  disabled: 'bad',
  dead: 'bad',
  invalid: 'bad',
  unreadable: 'bad',
};

/** `accepted, delivered` is what came last. Undefined for what is none of the known states. */
export function toneOf(state: string): Tone | undefined {
  return TONES[state.split(/[ ,]+/).at(-1) ?? ''];
}
