// Checks the password or the public key of a request to log in; logins that do not exist take the same way and the same time.
import ssh2, { type AuthContext, type KeyboardAuthContext, type PublicKeyAuthContext } from 'ssh2';
import type { Login, Logins } from '#gateway/model/account.ts';
import type { Passwords } from '#runtime/auth/password.ts';
import type { LoginFailure } from './login-failures.ts';
import { brokenRule, type Client, type Credential } from './login-rules-check.ts';

export type Check =
  | { readonly is: 'valid'; readonly login: Login; readonly credential: Credential }
  /** Valid, and the login needs the other credential, too. */
  | { readonly is: 'half'; readonly credential: Credential }
  /** The login has the key; the client asked only whether it may sign with it. */
  | { readonly is: 'key-known' }
  /** `counts`: a failed try, not a question. The client is not told `why`; null when it has tried nothing. */
  | { readonly is: 'invalid'; readonly counts: boolean; readonly why: LoginFailure | null };

function failed(why: LoginFailure): Check {
  return { is: 'invalid', counts: true, why };
}

function notTried(why: LoginFailure | null): Check {
  return { is: 'invalid', counts: false, why };
}

interface CheckParts {
  readonly logins: Logins;
  readonly verify: Passwords['verify'];
  /** Whether RSA keys may sign with SHA-1. */
  readonly sha1: boolean;
  /** Called after the credential is verified: that takes time, in which another one may have become valid. */
  readonly client: () => Client;
}

export async function checkCredential(context: AuthContext, parts: CheckParts): Promise<Check> {
  const login = parts.logins.find(context.username);
  const check = await checkByMethod(context, login, parts);
  return check.is === 'invalid' && check.why !== null && !login ? { ...check, why: 'unknown-login' } : check;
}

async function checkByMethod(context: AuthContext, login: Login | undefined, parts: CheckParts): Promise<Check> {
  switch (context.method) {
    case 'none':
      return notTried(null);
    case 'password':
      return checkPassword(login, context.password, parts);
    case 'keyboard-interactive':
      return checkPassword(login, await askPassword(context), parts);
    case 'publickey':
      return checkKey(login, context, parts);
    case 'hostbased':
      return failed('method');
  }
}

/** The credential is valid; the rules of the login decide. */
function checkRules(login: Login, credential: Credential, parts: CheckParts): Check {
  const client = parts.client();
  const rule = brokenRule(login, { ...client, shown: new Set([...client.shown, credential]) });
  if (rule === 'half') return { is: 'half', credential };
  return rule === undefined ? { is: 'valid', login, credential } : failed(rule);
}

async function checkPassword(login: Login | undefined, password: unknown, parts: CheckParts): Promise<Check> {
  // A change of password arrives as an object, and undefined when the client went on to another method.
  if (typeof password !== 'string') return failed('wrong-password');
  const hash = login?.passwordHash ?? null;
  const isRight = await parts.verify(password, hash);
  // The client took its time, and so did the hash: what holds is the login as it is now.
  const now = login && parts.logins.find(login.login);
  return isRight && now?.passwordHash === hash ? checkRules(now, 'password', parts) : failed('wrong-password');
}

function askPassword(context: KeyboardAuthContext): Promise<unknown> {
  return new Promise((resolve) => {
    context.prompt([{ prompt: 'Password: ', echo: false }], (answers: unknown) => resolve(Array.isArray(answers) ? answers[0] : undefined));
  });
}

function checkKey(login: Login | undefined, context: PublicKeyAuthContext, parts: CheckParts): Check {
  const { key, blob, signature, hashAlgo } = context;
  const invalid = signature ? failed : notTried;
  // Certificates are not supported: no certificate authority is configured here.
  if (key.algo.endsWith(CERTIFICATE)) return invalid('certificate');
  if (usesSha1(context) && !parts.sha1) return invalid('sha1-signature');
  const known = login && keysOf(login).find((each) => each.type === key.algo && each.getPublicSSH().equals(key.data));
  if (!blob || !signature) return known ? { is: 'key-known' } : notTried('unknown-key');
  // verify() returns an Error, which is not falsy, for a signature that cannot be read.
  const isRight = known?.verify(blob, signature, hashAlgo) === true;
  return isRight && login ? checkRules(login, 'key', parts) : failed(known ? 'wrong-signature' : 'unknown-key');
}

/** How the names of OpenSSH's user certificates end. */
const CERTIFICATE = '-cert-v01@openssh.com';

/** RSA with SHA-1 has no hash named; DSA has no other hash. */
export function usesSha1({ key, hashAlgo }: Pick<PublicKeyAuthContext, 'key' | 'hashAlgo'>): boolean {
  return key.algo === 'ssh-dss' || (key.algo === 'ssh-rsa' && hashAlgo !== 'sha256' && hashAlgo !== 'sha512');
}

/** Parsed once for each login: parsing at every request would show by its time that the login exists. */
const parsedKeys = new WeakMap<Login, readonly ssh2.ParsedKey[]>();

function keysOf(login: Login): readonly ssh2.ParsedKey[] {
  const keys = parsedKeys.get(login) ?? login.publicKeys.flatMap(parsePublicKey);
  parsedKeys.set(login, keys);
  return keys;
}

function parsePublicKey(line: string): ssh2.ParsedKey[] {
  const key = ssh2.utils.parseKey(line);
  return key instanceof Error || key.isPrivateKey() ? [] : [key];
}

/** ssh2 answers a question about an RSA key with `ssh-rsa`, and older Go clients then give up. RFC 8332 §3.2 requires the name that was asked for. */
export function nameKeyAsAsked({ key, hashAlgo }: Pick<PublicKeyAuthContext, 'key' | 'hashAlgo'>): void {
  if (hashAlgo === 'sha256') key.algo = 'rsa-sha2-256';
  if (hashAlgo === 'sha512') key.algo = 'rsa-sha2-512';
}
