// The delivery status of a message and where it may go from there (decisions A2). No way back except by an overwrite, or
// an operator who has a document tried again that was given up.

const STATUSES = ['queued', 'sent', 'delivered', 'rejected', 'failed', 'received'] as const;
export type Status = (typeof STATUSES)[number];
/** What the network may report of an outgoing message. */
export type ReportedStatus = Exclude<Status, 'queued' | 'received'>;

// biome-ignore format: one row, one status
const NEXT: Readonly<Record<Status, readonly Status[]>> = {
  queued:    ['sent', 'failed'],          // ours to deliver
  sent:      ['delivered', 'rejected'],   // the network took it
  delivered: [],                          // the receiver said yes
  rejected:  [],                          // the receiver said no
  failed:    ['queued'],                  // given up; an operator may have it tried again
  received:  [],                          // incoming
};

export function isStatus(text: string): text is Status {
  return STATUSES.some((status) => status === text);
}

export function mayFollow(status: Status, next: Status): boolean {
  return NEXT[status].includes(next);
}
