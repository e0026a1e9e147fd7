// The queue seam: a doorbell. It carries an id, never data; it may ring twice or not at all; a sweep over the truth rings again.
// What a process rings for itself stays in it; `bell.ts` rings in another one.

/**
 * `submit`: an item; `publish`: a publication is owed; `incoming`: `ACCOUNT FAMILY` got a document; `incoming-slow`: the same of an
 * account whose service hangs; `named`: it got documents that were named; `marks`: it has documents to be marked read; `unread`: an
 * operator wants the mark of `ACCOUNT FAMILY DOCUMENT` taken back; `webhook`: a subscription is owed events; `webhook-slow`: one whose receiver fails; `transmission`: one to the network is due; `enrichment`: jobs of an account wait; `status`: the
 * statuses of `ACCOUNT FAMILY` may have changed; `hinted`: a hint for `ACCOUNT FAMILY` is to be passed on to another node; `turned-away`: the service has
 * turned documents for an account away.
 */
export type Topic = (typeof TOPICS)[number];

export const TOPICS = [
  'submit',
  'publish',
  'incoming',
  'incoming-slow',
  'announced',
  'marks',
  'unread',
  'webhook',
  'webhook-slow',
  'transmission',
  'enrichment',
  'status',
  'hinted',
  'turned-away',
] as const;

export interface Queue {
  /** Rings for `id`, now or not before `atMs` (milliseconds since 1970). Ringing for what already waits is one ring. Never throws. */
  ring(topic: Topic, id: string, atMs?: number): void;
  /**
   * Answers the rings of a topic, at most `concurrency` at once and never twice at once for one id: a ring that comes while its id is
   * being handled is answered after that. What a handler throws is logged, and its id rings again a few seconds later.
   */
  answer(topic: Topic, concurrency: number, handler: (id: string) => Promise<void>): void;
  /** Takes no more rings, and resolves when the handlers that run have ended. */
  close(): Promise<void>;
}
