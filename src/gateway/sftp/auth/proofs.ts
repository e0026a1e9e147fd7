// Who somebody is: password and public key against the logins, the same road and time for names that do not exist.
import ssh2, { type AuthContext, type KeyboardAuthContext, type PublicKeyAuthContext } from 'ssh2';
import type { Login, Logins } from '#gateway/model/account.ts';
import type { LoginFailure } from '#gateway/sftp/rejects.ts';
import { barrierOf, type Claimant, type Proof } from './login-rules-check.ts';
import type { Passwords } from './password.ts';

export type Verdict =
  | { readonly is: 'in'; readonly login: Login; readonly proof: Proof }
  /** One of the two proofs that the login needs. */
  | { readonly is: 'half'; readonly proof: Proof }
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
  /** Asked once the proof is there: judging a password takes time, in which others may have been judged. */
  readonly claimant: () => Claimant;
}

/** Judges one request to log in. */
export async function judge(context: AuthContext, judges: Judges): Promise<Verdict> {
  const login = judges.logins.find(context.username);
  const verdict = await judgeMethod(context, login, judges);
  return verdict.is === 'out' && verdict.why !== null && !login ? { ...verdict, why: 'unknown-login' } : verdict;
}

async function judgeMethod(context: AuthContext, login: Login | undefined, judges: Judges): Promise<Verdict> {
  switch (context.method) {
    case 'none':
      return notYet(null);
    case 'password':
      return judgePassword(login, context.password, judges);
    case 'keyboard-interactive':
      return judgePassword(login, await askPassword(context), judges);
    case 'publickey':
      return judgeKey(login, context, judges);
    case 'hostbased':
      return out('method');
  }
}

/** The proof is good; the rules of the login have the last word. */
function proven(login: Login, proof: Proof, { claimant }: Judges): Verdict {
  const { proved, ...where } = claimant();
  const barrier = barrierOf(login, { ...where, proved: new Set([...proved, proof]) });
  if (barrier === 'half') return { is: 'half', proof };
  return barrier === undefined ? { is: 'in', login, proof } : out(barrier);
}

async function judgePassword(login: Login | undefined, password: unknown, judges: Judges): Promise<Verdict> {
  // A change of password arrives as an object; nothing at all when the client went on to another method.
  if (typeof password !== 'string') return out('wrong-password');
  const isRight = await judges.verify(password, login?.passwordHash ?? null);
  return isRight && login ? proven(login, 'password', judges) : out('wrong-password');
}

function askPassword(context: KeyboardAuthContext): Promise<unknown> {
  return new Promise((resolve) => {
    context.prompt([{ prompt: 'Password: ', echo: false }], (answers: unknown) => resolve(Array.isArray(answers) ? answers[0] : undefined));
  });
}

function judgeKey(login: Login | undefined, context: PublicKeyAuthContext, judges: Judges): Verdict {
  const { key, blob, signature, hashAlgo } = context;
  const refuse = signature ? out : notYet;
  // It names its authority, which nobody here has vouched for, so it is not even looked at.
  if (key.algo.endsWith(CERTIFICATE)) return refuse('certificate');
  if (usesSha1(context) && !judges.sha1) return refuse('sha1-signature');
  const known = login && keysOf(login).find((each) => each.type === key.algo && each.getPublicSSH().equals(key.data));
  if (!blob || !signature) return known ? { is: 'key-known' } : notYet('unknown-key');
  // verify() returns an Error, which is not falsy, for a signature that cannot be read.
  const isRight = known?.verify(blob, signature, hashAlgo) === true;
  return isRight && login ? proven(login, 'key', judges) : out(known ? 'wrong-signature' : 'unknown-key');
}

/** What the names of OpenSSH's user certificates end with. */
const CERTIFICATE = '-cert-v01@openssh.com';

/** RSA with SHA-1 has no hash named; DSA knows no other. */
export function usesSha1({ key, hashAlgo }: Pick<PublicKeyAuthContext, 'key' | 'hashAlgo'>): boolean {
  return key.algo === 'ssh-dss' || (key.algo === 'ssh-rsa' && hashAlgo !== 'sha256' && hashAlgo !== 'sha512');
}

/** Read once for each login: reading them at every question would show by its time that the login is there. */
const readKeys = new WeakMap<Login, readonly ssh2.ParsedKey[]>();

function keysOf(login: Login): readonly ssh2.ParsedKey[] {
  const keys = readKeys.get(login) ?? login.publicKeys.flatMap(parsePublicKey);
  readKeys.set(login, keys);
  return keys;
}

function parsePublicKey(line: string): ssh2.ParsedKey[] {
  const key = ssh2.utils.parseKey(line);
  return key instanceof Error || key.isPrivateKey() ? [] : [key];
}

/** ssh2 answers a question about an RSA key with `ssh-rsa`, whatever was asked; older Go clients then give up. RFC 8332 §3.2 wants the name asked for. */
export function nameKeyAsAsked({ key, hashAlgo }: Pick<PublicKeyAuthContext, 'key' | 'hashAlgo'>): void {
  if (hashAlgo === 'sha256') key.algo = 'rsa-sha2-256';
  if (hashAlgo === 'sha512') key.algo = 'rsa-sha2-512';
}
