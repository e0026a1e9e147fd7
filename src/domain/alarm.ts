// What an administrator is told of: kinds of alarms, what stands, and what has happened.

/** Each kind with its heading in a digest. */
export const ALARM_KINDS = {
  refused: 'Documents were refused',
  held: 'Documents are held for a person',
  'not-fetched': 'Documents are not fetched',
  'account-silent': 'Accounts that usually send are silent',
  'service-silent': 'The service does not answer, or refuses everything',
  'access-point-silent': 'The access point does not take documents',
  disk: 'The disk is nearly full',
  certificate: 'Certificates end',
  'host-key': 'Host keys have changed',
  registration: 'Participants are not registered as they should be',
  rules: 'Rules of documents change',
  test: 'Tests',
} as const;

export type AlarmKind = keyof typeof ALARM_KINDS;

export interface Alarm {
  readonly kind: AlarmKind;
  /** What it is about, as an account or a file: of one kind and subject there is one alarm. */
  readonly subject: string;
  /** What is the matter, and what to do. */
  readonly sentence: string;
  /** How often it has happened; once unless said otherwise. */
  readonly times?: number;
}

/** What somebody has seen who looked after some kinds. */
export interface Seen {
  /** What is so now; what stood and is not among it has ended. */
  readonly stands: readonly Alarm[];
  /** Whether another process looks after this subject now: what stood of it has not ended, and is that one's to tell. */
  readonly isElsewhere?: (subject: string) => boolean;
  /** What has happened since the last look, and does not end. */
  readonly happened?: readonly Alarm[];
}

/** Looks after these kinds. When it throws, what stood stands. */
export interface Watcher {
  readonly kinds: readonly AlarmKind[];
  look(): Promise<Seen>;
}
