// Options of commands that add accounts and partners, and give them other API keys: the core here makes them, or a remote service gave them, and they are piped in.
import type { Command } from 'commander';
import { AppError } from '#domain/error.ts';
import { durationOf } from '#operations/durations.ts';
import type { CredentialOptions } from './credentials.ts';
import type { Terminal } from './terminal.ts';

/** Options by which accounts and partners alike are added. */
export interface NewHolderOptions extends CredentialOptions {
  readonly name?: string;
  readonly login?: string;
  readonly remote?: boolean;
  readonly apiKeyStdin?: boolean;
}

export function withHolder(command: Command, login: string, remote: string): Command {
  return command
    .option('--name <name>', 'name of the company')
    .option('--login <login>', login)
    .option('--password-stdin', "take the login's password from standard input instead of making one up")
    .option('--public-key <file>', 'let the login in by this public key')
    .option('--remote', remote)
    .option('--api-key-stdin', "take that service's API key from standard input");
}

const WHOSE = { account: 'an account', partner: 'a partner' } as const;
type Kind = keyof typeof WHOSE;

/** What a remote service gave, where the options say so. A remote account needs a login; a partner may use the API only. Throws `usage`. */
export async function holderKey(kind: Kind, options: NewHolderOptions, terminal: Terminal): Promise<{ readonly apiKey?: string }> {
  const { remote = false, apiKeyStdin = false, login, passwordStdin, publicKey } = options;
  const needed = kind === 'account' ? ['--login'] : [];
  const wrong: readonly (readonly [isWrong: boolean, sentence: string])[] = [
    [
      remote && (!apiKeyStdin || (kind === 'account' && login === undefined)),
      `${WHOSE[kind].replace('a', 'A')} of a remote service needs ${[...needed, '--api-key-stdin'].join(' and ')}.`,
    ],
    [!remote && apiKeyStdin, 'The core makes the API key itself; --api-key-stdin belongs to --remote.'],
    [apiKeyStdin && passwordStdin === true, 'Standard input holds one secret: set the password later, or use --public-key.'],
    [
      login === undefined && (passwordStdin === true || publicKey !== undefined),
      'A password or public key belongs to a login: give --login.',
    ],
  ];
  const sentence = wrong.find(([isWrong]) => isWrong)?.[1];
  if (sentence !== undefined) throw new AppError('usage', sentence);
  return keyIn({ apiKeyStdin }, terminal);
}

export interface RotateOptions {
  readonly grace: string;
  readonly apiKeyStdin?: boolean;
}

export function withRotation(command: Command, kind: Kind): Command {
  return command
    .option('--grace <duration>', 'how long the old key stays valid', '24h')
    .option('--api-key-stdin', `for ${WHOSE[kind]} of a remote service: take its new key from standard input`);
}

export async function rotationIn(options: RotateOptions, terminal: Terminal) {
  return { graceMs: durationOf('--grace', options.grace, '0s', '90d'), ...(await keyIn(options, terminal)) };
}

/** How another key is told; null where a remote service has made it. */
export function toldRotation(kind: Kind, regNo: string, apiKey: string | null) {
  return {
    done: `${apiKey === null ? 'The gateway uses the new key of' : 'A new key was made for'} ${kind} ${regNo}.`,
    more: [apiKey !== null && `New API key, shown once: ${apiKey}`],
  };
}

async function keyIn({ apiKeyStdin = false }: { readonly apiKeyStdin?: boolean }, terminal: Terminal) {
  return apiKeyStdin ? { apiKey: await terminal.readSecret('API key') } : {};
}
