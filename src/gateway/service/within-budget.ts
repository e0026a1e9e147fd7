// A request within an account's budget: how feeds, statuses, hints and tokens are asked for.
import { AppError } from '#domain/error.ts';
import type { Budget, Purpose } from './budget.ts';
import type { Answer } from './transport.ts';

/** Spends one request, and makes it. Throws `rate-limited` (facts.waitMs) when the budget is spent, where nothing is sent, and when the service says 429. */
export async function askWithin(budget: Budget, accountRegNo: string, purpose: Purpose, request: () => Promise<Answer>): Promise<Answer> {
  const waitMs = await budget.spend(accountRegNo, purpose);
  if (waitMs > 0) throw new AppError('rate-limited', 'the request budget is spent', { facts: { waitMs } });
  const answer = await request();
  if (answer.status !== 429) return answer;
  const retryMs = budget.refused(accountRegNo, answer.headers);
  throw new AppError('rate-limited', 'the service said 429', { facts: { waitMs: retryMs } });
}
