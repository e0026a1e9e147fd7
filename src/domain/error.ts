// The one error class of Dropgate and its closed list of codes; each edge (HTTP, SFTP, receipt, exit status) maps the codes once.

export type ErrorCode =
  | 'usage' // a command or a setting is wrong; the sentence says which
  | 'locked' // another daemon holds the data folder
  | 'bad-request' // a request that is not of the contract's form
  | 'unauthenticated' // no or malformed credentials
  | 'wrong-credentials' // credentials that are not valid here
  | 'forbidden' // valid credentials, but not for this
  | 'missing' // what was named is not there
  | 'exists' // what should be made is there already
  | 'duplicate' // the same document was submitted before
  | 'in-flight' // the same request is being worked on
  | 'key-reused' // an idempotency key came back with another body or path
  | 'rate-limited' // the request budget is spent
  | 'unreadable' // bytes that are no document
  | 'invalid' // a document that breaks a rule
  | 'unknown-receiver' // nobody on the network answers to the receiver's address
  | 'too-large' // more bytes than allowed
  | 'quota' // more things than allowed
  | 'name' // a name that may not reach the file system
  | 'storage' // the disk or the database failed
  | 'not-implemented' // known, but not offered
  | 'internal'; // anything else: our fault, may be retried

export interface ErrorExtra {
  readonly cause?: unknown;
  /** Plain facts for the edge, for example `{ integrationId }` or `{ details: [...] }`; never a secret. */
  readonly facts?: Readonly<Record<string, unknown>>;
}

/** An error with a code to decide on and a sentence that may be shown to the user. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, sentence: string, extra: ErrorExtra = {}) {
    super(sentence, extra.cause === undefined ? undefined : { cause: extra.cause });
    this.name = 'AppError';
    this.code = code;
    this.facts = extra.facts ?? {};
  }
}

/** What went wrong, in the words of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The error itself when it is ours; anything unknown becomes `internal`, which is retryable, with the cause kept. */
export function toAppError(error: unknown): AppError {
  return error instanceof AppError ? error : new AppError('internal', 'An internal error occurred; try again.', { cause: error });
}
