// How an operation is run on an installation.
import { isClosed } from './closed-table.ts';
import type { OnLedgers } from './entry.ts';
import type { Installation } from './installation.ts';
import type { Operation } from './operation.ts';
import { runClosed } from './run-closed.ts';
import { OPERATIONS, type OperationName } from './table.ts';

/** Runs an operation, and writes down one that a person orders. Throws `bad-request` for an input of another form, and what its work throws. */
export async function runOperation(on: Installation, name: OperationName, input: unknown): Promise<unknown> {
  if (isClosed(name)) return runClosed(on, name, input);
  const entry: OnLedgers = OPERATIONS[name];
  const loaded: Operation = await OPERATIONS[name].load();
  if (entry.kind === 'looks' || entry.onlyAsks?.(input)) return loaded.run(on, input);
  const { audited } = await import('./audited.ts');
  const answer = await audited(on, name.replaceAll('.', ' '), input, () => loaded.run(on, input));
  // Who was told that a login is added may use it, and one that is disabled is out.
  await on.running?.gateway?.refreshAccounts();
  return answer;
}
