// Who may come in: password and public key against the logins, the same road and time for names that do not exist.
import ssh2, { type AuthContext, type AuthenticationType, type KeyboardAuthContext, type PublicKeyAuthContext } from 'ssh2';
import type { Login, Logins } from '#gateway/accounts.ts';
import type { Passwords } from '#gateway/password.ts';

/** What clients are told that they may try; without it some give up after the first refusal. */
export const METHODS: AuthenticationType[] = ['publickey', 'password', 'keyboard-interactive'];

export type Verdict =
  | { readonly is: 'in'; readonly login: Login; readonly method: string }
  /** The key would do; the client now signs with it. */
  | { readonly is: 'key-known' }
  /** `counts`: a try that failed, not a question. */
  | { readonly is: 'out'; readonly counts: boolean };

const OUT: Verdict = { is: 'out', counts: true };
const NOT_YET: Verdict = { is: 'out', counts: false };

/** Judges one request to log in. */
export async function judge(context: AuthContext, logins: Logins, passwords: Passwords): Promise<Verdict> {
  const login = logins.find(context.username);
  switch (context.method) {
    case 'none':
      return NOT_YET;
    case 'password':
      return judgePassword(login, context.password, context.method, passwords);
    case 'keyboard-interactive':
      return judgePassword(login, await askPassword(context), context.method, passwords);
    case 'publickey':
      return judgeKey(login, context);
    case 'hostbased':
      return OUT;
  }
}

async function judgePassword(login: Login | undefined, password: unknown, method: string, passwords: Passwords): Promise<Verdict> {
  // A change of password arrives as an object; nothing at all when the client went on to another method.
  if (typeof password !== 'string') return OUT;
  const isRight = await passwords.verify(password, login?.passwordHash ?? null);
  return isRight && login ? { is: 'in', login, method } : OUT;
}

function askPassword(context: KeyboardAuthContext): Promise<unknown> {
  return new Promise((resolve) => {
    context.prompt([{ prompt: 'Password: ', echo: false }], (answers: unknown) => resolve(Array.isArray(answers) ? answers[0] : undefined));
  });
}

function judgeKey(login: Login | undefined, context: PublicKeyAuthContext): Verdict {
  const { key, blob, signature, hashAlgo } = context;
  // RSA with SHA-1 has no hash named; it is not accepted.
  if (key.algo === 'ssh-rsa' && hashAlgo !== 'sha256' && hashAlgo !== 'sha512') return signature ? OUT : NOT_YET;
  const known = login?.publicKeys.map(parsePublicKey).find((each) => each?.type === key.algo && each.getPublicSSH().equals(key.data));
  if (!blob || !signature) return known ? { is: 'key-known' } : NOT_YET;
  // verify() returns an Error, which is not falsy, for a signature that cannot be read.
  const isRight = known?.verify(blob, signature, hashAlgo) === true;
  return isRight && login ? { is: 'in', login, method: 'publickey' } : OUT;
}

function parsePublicKey(line: string): ssh2.ParsedKey | undefined {
  const key = ssh2.utils.parseKey(line);
  return key instanceof Error || key.isPrivateKey() ? undefined : key;
}

/** ssh2 answers a question about an RSA key with `ssh-rsa`, whatever was asked; older Go clients then give up. RFC 8332 §3.2 wants the name asked for. */
export function nameKeyAsAsked({ key, hashAlgo }: Pick<PublicKeyAuthContext, 'key' | 'hashAlgo'>): void {
  if (hashAlgo === 'sha256') key.algo = 'rsa-sha2-256';
  if (hashAlgo === 'sha512') key.algo = 'rsa-sha2-512';
}
