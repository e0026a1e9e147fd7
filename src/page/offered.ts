// Which operations the API offers: those that the daemon runs, but for those that stay on the machine, each with its reason.
import { isOperation, OPERATIONS, type OperationName, runByOf } from '#operations/table.ts';

const PRINTS_SECRET = 'its answer holds a secret, which is shown to who sits at the machine alone';
const OF_OPERATORS = 'who may log in is said on the machine';
const WRITES_FILES = 'it writes files on the machine';

/** Of those that the daemon runs. */
export const NOT_OFFERED: Readonly<Partial<Record<OperationName, string>>> = {
  apply: PRINTS_SECRET,
  'account.add': PRINTS_SECRET,
  'account.rotate-key': PRINTS_SECRET,
  'account.take-back': PRINTS_SECRET,
  'partner.add': PRINTS_SECRET,
  'partner.rotate-key': PRINTS_SECRET,
  'login.add': PRINTS_SECRET,
  'login.set-password': PRINTS_SECRET,
  'webhook.sign': PRINTS_SECRET,
  'operator.add': OF_OPERATORS,
  'operator.list': OF_OPERATORS,
  'operator.set': OF_OPERATORS,
  'operator.set-password': OF_OPERATORS,
  'operator.disable': OF_OPERATORS,
  'operator.enable': OF_OPERATORS,
  'operator.remove': OF_OPERATORS,
  'account.export': WRITES_FILES,
  export: 'it holds the hashes of passwords',
};

export const OFFERED: readonly OperationName[] = Object.keys(OPERATIONS).filter(isOffered).sort();

export function isOffered(name: string): name is OperationName {
  return isOperation(name) && runByOf(name) === 'daemon' && NOT_OFFERED[name] === undefined;
}
