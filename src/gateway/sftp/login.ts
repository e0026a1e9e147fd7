// Who may come in: password and public key against the logins, the same road and time for names that do not exist.
import ssh2, { type AuthContext, type AuthenticationType, type KeyboardAuthContext, type PublicKeyAuthContext } from 'ssh2';
import type { Login, Logins } from '#gateway/accounts.ts';
import type { Passwords } from '#gateway/password.ts';
import type { LoginFailure } from './rejects.ts';

/** What clients are told that they may try; without it some give up after the first refusal. */
export const METHODS: AuthenticationType[] = ['publickey', 'password', 'keyboard-interactive'];

export type Verdict =
  | { readonly is: 'in'; readonly login: Login; readonly method: string }
  /** The key would do; the client now signs with it. */
  | { readonly is: 'key-known' }
  /** `counts`: a try that failed, not a question. `why` is not told to the client; null when it has tried nothing. */
  | { readonly is: 'out'; readonly counts: boolean; readonly why: LoginFailure | null };

function out(why: LoginFailure): Verdict {
  return { is: 'out', counts: true, why };
}

function notYet(why: LoginFailure | null): Verdict {
  return { is: 'out', counts: false, why };
}

/** What requests to log in are judged by. */
export interface Judges {
  readonly logins: Logins;
  readonly verify: Passwords['verify'];
  /** Whether RSA keys may sign with SHA-1. */
  readonly sha1: boolean;
}

/** Judges one request to log in. */
export async function judge(context: AuthContext, judges: Judges): Promise<Verdict> {
  const login = judges.logins.find(context.username);
  const verdict = await judgeMethod(context, login, judges);
  return verdict.is === 'out' && verdict.why !== null && !login ? { ...verdict, why: 'unknown-login' } : verdict;
}

async function judgeMethod(context: AuthContext, login: Login | undefined, { verify, sha1 }: Judges): Promise<Verdict> {
  switch (context.method) {
    case 'none':
      return notYet(null);
    case 'password':
      return judgePassword(login, context.password, context.method, verify);
    case 'keyboard-interactive':
      return judgePassword(login, await askPassword(context), context.method, verify);
    case 'publickey':
      return judgeKey(login, context, sha1);
    case 'hostbased':
      return out('method');
  }
}

async function judgePassword(login: Login | undefined, password: unknown, method: string, verify: Judges['verify']): Promise<Verdict> {
  // A change of password arrives as an object; nothing at all when the client went on to another method.
  if (typeof password !== 'string') return out('wrong-password');
  const isRight = await verify(password, login?.passwordHash ?? null);
  return isRight && login ? { is: 'in', login, method } : out('wrong-password');
}

function askPassword(context: KeyboardAuthContext): Promise<unknown> {
  return new Promise((resolve) => {
    context.prompt([{ prompt: 'Password: ', echo: false }], (answers: unknown) => resolve(Array.isArray(answers) ? answers[0] : undefined));
  });
}

function judgeKey(login: Login | undefined, context: PublicKeyAuthContext, sha1: boolean): Verdict {
  const { key, blob, signature, hashAlgo } = context;
  const refuse = signature ? out : notYet;
  if (usesSha1(context) && !sha1) return refuse('sha1-signature');
  const known = login?.publicKeys.map(parsePublicKey).find((each) => each?.type === key.algo && each.getPublicSSH().equals(key.data));
  if (!blob || !signature) return known ? { is: 'key-known' } : notYet('unknown-key');
  // verify() returns an Error, which is not falsy, for a signature that cannot be read.
  const isRight = known?.verify(blob, signature, hashAlgo) === true;
  return isRight && login ? { is: 'in', login, method: 'publickey' } : out(known ? 'wrong-signature' : 'unknown-key');
}

/** RSA with SHA-1 has no hash named. */
export function usesSha1({ key, hashAlgo }: Pick<PublicKeyAuthContext, 'key' | 'hashAlgo'>): boolean {
  return key.algo === 'ssh-rsa' && hashAlgo !== 'sha256' && hashAlgo !== 'sha512';
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
