// Why a login is refused: each is the end of a sentence that begins with the client.

export const LOGIN_FAILURES = {
  'unknown-login': 'names a login that is not here, or disabled',
  'wrong-password': 'gives a wrong password',
  'unknown-key': 'has no key that the login is known by; add one with: dropgate login add-key',
  'wrong-signature': 'shows a key that it cannot sign with',
  'sha1-signature': 'signs with SHA-1: use an Ed25519 key or a newer client, or allow it with profile legacy',
  certificate: 'shows a certificate, which this server does not know; add its plain public key with: dropgate login add-key',
  half: 'proves one of key and password only, and the login needs both: dropgate login set --methods',
  'method-rule': 'proves itself by a method that the login must not use: dropgate login set --methods',
  address: 'comes from an address that the login must not come from: dropgate login set --allow',
  expired: 'names a login whose last day is over: dropgate login set --expires',
  method: 'offers a way to log in that this server does not know',
  'too-many-sessions': 'has as many sessions open as sftp.sessionsPerLoginMax, or the rule of its login, allows',
} as const;
export type LoginFailure = keyof typeof LOGIN_FAILURES;
