// The requests of one attempt: set aside of the account's budget, and made one after the other. As long as the document is not posted, one of
// them is kept for that. Otherwise, where a service takes few, many attempts would spend all on a look first, and none would come to post.
import type { Budget } from './budget.ts';

/** What an attempt needs that looks first: a list, its end, one document of it, and the post. */
const WITH_A_LOOK = 4;

export interface Reservation extends Disposable {
  /** One for a look at what the service has: 0 = go; otherwise everything is given back, and may be asked for again after so many milliseconds. */
  look(): Promise<number>;
  /** The document is posted now. */
  post(): void;
  /** What is left is given back. */
  [Symbol.dispose](): void;
}

/** Sets aside what an attempt needs: with a look, or without one, which it may then find that it needs. Milliseconds to wait when there is not so much. */
export async function reserve(budget: Budget, accountRegNo: string, withLook: boolean): Promise<Reservation | number> {
  let left = withLook ? WITH_A_LOOK : 1;
  /** Of what is left, for the document. */
  let kept = 1;
  const waitMs = await budget.spend(accountRegNo, 'submit', left);
  if (waitMs > 0) return waitMs;

  function giveBack(): void {
    if (left > 0) budget.giveBack(accountRegNo, left);
    left = 0;
  }

  return {
    async look() {
      if (left > kept) {
        left--;
        return 0;
      }
      giveBack();
      const moreInMs = await budget.spend(accountRegNo, 'submit', kept + 1);
      if (moreInMs === 0) left = kept;
      return moreInMs;
    },
    post() {
      left--;
      kept = 0;
    },
    [Symbol.dispose]: giveBack,
  };
}
