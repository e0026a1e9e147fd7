// The delivery status of a message and where it may go from there (decisions A2). No way back except by an overwrite.

export const STATUSES = ['queued', 'sent', 'delivered', 'rejected', 'failed', 'received'] as const;
export type Status = (typeof STATUSES)[number];

// biome-ignore format: one row, one status
const NEXT: Readonly<Record<Status, readonly Status[]>> = {
  queued:    ['sent', 'failed'],          // ours to deliver
  sent:      ['delivered', 'rejected'],   // the network took it
  delivered: [],                          // the receiver said yes
  rejected:  [],                          // the receiver said no
  failed:    [],                          // given up
  received:  [],                          // incoming
};

export function isStatus(text: string): text is Status {
  return STATUSES.some((status) => status === text);
}

export function mayFollow(status: Status, next: Status): boolean {
  return NEXT[status].includes(next);
}
