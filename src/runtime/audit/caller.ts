// Who runs this process: the user of the operating system, and who had logged in before sudo or su.
import { textOf, userName } from '#runtime/files/users.ts';

/** What the kernel says where nobody has logged in: a service. */
const NOBODY_LOGGED_IN = 2 ** 32 - 1;

/** Root's commands become the owner of the data folder: who it was is asked once, before. */
let caller: string | undefined;

/** `anna`, or `root (anna logged in)`: as it was at the first call. */
export function callerName(): string {
  caller ??= currentCaller();
  return caller;
}

function currentCaller(): string {
  const uid = process.getuid?.();
  if (uid === undefined) return 'unknown';
  const loginUid = Number(textOf('/proc/self/loginuid') || NOBODY_LOGGED_IN);
  const user = userName(uid);
  return loginUid === NOBODY_LOGGED_IN || loginUid === uid ? user : `${user} (${userName(loginUid)} logged in)`;
}
