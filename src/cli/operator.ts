// `dropgate operator`: who may log in to the page of the admin listener.
import { OPERATOR_ROLES, type OperatorRole } from '#gateway/model/operator.ts';
import type { AnswerOf } from '#operations/table.ts';
import type { AddCommand, Commands } from './commands.ts';
import { type CredentialOptions, proofsIn } from './credentials.ts';
import { oneOf } from './options.ts';

const ROLE = 'look: sees everything; act: may change it, too';

interface RoleOptions {
  readonly role: OperatorRole;
}

interface SetOptions {
  readonly role?: OperatorRole;
  readonly totp?: boolean;
}

function changesOf({ role, totp }: SetOptions): string[] {
  return [
    ...(role === undefined ? [] : [`has the role ${role}`]),
    ...(totp === undefined ? [] : [totp ? 'needs a code of the authenticator' : 'needs no code']),
  ];
}

export const addOperatorCommands: AddCommand = (commands) => {
  const operator = commands.group('operator');
  addAdd(operator);
  addPassword(operator);
  const table = operator.table<AnswerOf<'operator.list'>[number]>('operators', {
    operator: (row) => row.operator,
    state: ({ state }) => ({ state }),
    role: ({ role }) => role,
    added: ({ addedAt }) => ({ at: addedAt }),
    code: ({ totp, isCodeLost }) => (isCodeLost ? 'to be set anew' : totp ? 'asked' : null),
  });
  operator.asks('list', 'operator.list', () => ({}), table);
  operator
    .asks(
      'set <operator>',
      'operator.set',
      (name: string, options: SetOptions) => ({ operator: name, ...options }),
      operator.outcome(({ secret }, name: string, options: SetOptions) => ({
        done: `Operator ${name} ${changesOf(options).join(', and ')} from now on.`,
        more: [secret !== undefined && `For the authenticator, shown once: ${secret}`],
      })),
    )
    .addOption(oneOf('--role <role>', ROLE, OPERATOR_ROLES))
    .option('--totp', 'ask for a code of an authenticator beside the password (RFC 6238), by a new secret; all sessions end')
    .option('--no-totp', 'ask for no code any more; all sessions end');
  const input = (name: string) => ({ operator: name });
  const told = (how: string) => operator.outcome((answer: { operator: string }) => `Operator ${answer.operator} ${how}.`);
  operator.asks('disable <operator>', 'operator.disable', input, told('is disabled, and all sessions have ended'));
  operator.asks('enable <operator>', 'operator.enable', input, told('is enabled'));
  operator.asks('remove <operator>', 'operator.remove', input, told('was removed, and all sessions have ended'));
};

function addAdd(operator: Commands): void {
  operator
    .asks(
      'add <operator>',
      'operator.add',
      async (name: string, { role, passwordStdin = false }: RoleOptions & CredentialOptions) => ({
        operator: name,
        role,
        ...(await proofsIn({ passwordStdin }, operator.terminal)),
      }),
      operator.outcome(({ password }, name: string, { role }: RoleOptions & CredentialOptions) => ({
        done: `Operator ${name} may log in to the page, with the role ${role}.`,
        more: [password !== undefined && `The password, shown once: ${password}`],
      })),
    )
    .addOption(oneOf('--role <role>', ROLE, OPERATOR_ROLES).default('look'))
    .option('--password-stdin', 'take the password from standard input instead of making one up');
}

function addPassword(operator: Commands): void {
  operator
    .asks(
      'set-password <operator>',
      'operator.set-password',
      async (name: string, { passwordStdin = false }: CredentialOptions) => ({
        operator: name,
        ...(await proofsIn({ passwordStdin }, operator.terminal)),
      }),
      operator.outcome(({ password }, name: string) => ({
        done: `Operator ${name} has the new password, and all sessions have ended.`,
        more: [password !== undefined && `The new password, shown once: ${password}`],
      })),
    )
    .option('--password-stdin', 'take the password from standard input');
}
