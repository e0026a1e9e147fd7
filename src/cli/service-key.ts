// Where API keys of accounts and partners come from: the core here makes them, or a remote service gave them, and they are piped in.
import type { Command } from 'commander';
import { AppError } from '#domain/error.ts';
import type { Installation } from '#operations/installation.ts';
import type { Config } from '#runtime/config/config.ts';
import type { Commands } from './commands.ts';
import type { CredentialOptions } from './credentials.ts';
import { durationOf, type JsonOptions } from './options.ts';

/** Options by which accounts and partners alike are added. */
export interface NewHolderOptions extends JsonOptions, CredentialOptions {
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
    .option('--api-key-stdin', "take that service's API key from standard input")
    .option('--json', 'print one JSON object');
}

/** A combination of options that makes no sense, with its sentence. */
type Wrong = readonly [isWrong: boolean, sentence: string];

const WHOSE = { account: 'an account', partner: 'a partner' } as const;
type Kind = keyof typeof WHOSE;

/** Throws `usage` for the first combination that makes no sense. A remote account needs a login; a partner may use the API only. */
export function checkNewHolder(kind: Kind, options: NewHolderOptions, role: Config['role'], more: readonly Wrong[]): void {
  const { remote = false, apiKeyStdin = false, login, passwordStdin, publicKey } = options;
  const [whose, needed] = [`${WHOSE[kind].replace('a', 'A')} of a remote service`, kind === 'account' ? ['--login'] : []];
  const wrong: readonly Wrong[] = [
    [
      role === 'gateway' && !remote,
      `This gateway submits to a remote service: give ${['--remote', ...needed].join(', ')} and --api-key-stdin.`,
    ],
    [role !== 'gateway' && remote, `${whose} needs role gateway and service.url in the configuration.`],
    [
      remote && (!apiKeyStdin || (kind === 'account' && login === undefined)),
      `${whose} needs ${[...needed, '--api-key-stdin'].join(' and ')}.`,
    ],
    [!remote && apiKeyStdin, 'The core makes the API key itself; --api-key-stdin belongs to --remote.'],
    ...more,
    [apiKeyStdin && passwordStdin === true, 'Standard input holds one secret: set the password later, or use --public-key.'],
    [
      login === undefined && (passwordStdin === true || publicKey !== undefined),
      'A password or public key belongs to a login: give --login.',
    ],
  ];
  const sentence = wrong.find(([isWrong]) => isWrong)?.[1];
  if (sentence !== undefined) throw new AppError('usage', sentence);
}

interface RotateOptions extends JsonOptions {
  readonly grace: string;
  readonly apiKeyStdin?: boolean;
}

/** `rotate` takes the key that a remote service gave, or makes and returns a new one where that is null. It throws `missing`. */
export function addRotateKey(
  commands: Commands,
  kind: Kind,
  rotate: (on: Installation, regNo: string, serviceKey: string | null, graceMs: number) => Promise<string | null>,
): void {
  const whose = WHOSE[kind];
  const does = 'make a new API key, shown once; the gateway takes its own new one by itself';
  commands
    .change(`rotate-key <${kind}RegNo>`, does, async (on, regNo: string, { grace, apiKeyStdin = false }: RotateOptions) => {
      const graceMs = durationOf('--grace', grace, '0s', '90d');
      if ((on.config.role === 'gateway') !== apiKeyStdin) {
        throw new AppError('usage', `Give --api-key-stdin for ${whose} of a remote service, and only for one.`);
      }
      const apiKey = await rotate(on, regNo, apiKeyStdin ? await commands.terminal.readSecret('API key') : null, graceMs);
      return {
        facts: { [`${kind}RegNo`]: regNo, apiKey },
        done: `${apiKey === null ? 'The gateway uses the new key of' : 'A new key was made for'} ${kind} ${regNo}.`,
        more: [apiKey !== null && `New API key, shown once: ${apiKey}`],
      };
    })
    .option('--grace <duration>', 'how long the old key stays valid', '24h')
    .option('--api-key-stdin', `for ${whose} of a remote service: take its new key from standard input`)
    .option('--json', 'print one JSON object');
}
