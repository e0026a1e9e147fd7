// Waiting until the parts in this process have done what they began: between two steps of a clock that is moved by hand, however slow
// disk and machine are.
import { setTimeout as pause } from 'node:timers/promises';
import { queries } from './queries.ts';

/** So often, a millisecond apart, nothing may be under way: what has just ended may begin the next. */
const CALM_LOOKS = 4;

/** What Node calls work that goes on: on files, on connections that are being made, and in the next turn of the event loop, as a ledger's commits are. */
const WORK = /^FSReq|^CloseReq$|ConnectWrap$|WriteWrap$|^Immediate$/;

/** `busy`: something that cannot be seen from here is under way, or was since the last look. */
export async function calm(busy: () => boolean = () => false): Promise<void> {
  for (let looks = 0; looks < CALM_LOOKS; looks++) {
    await pause(1);
    if (busy() || queries.underWay > 0 || process.getActiveResourcesInfo().some((name) => WORK.test(name))) looks = 0;
  }
}
