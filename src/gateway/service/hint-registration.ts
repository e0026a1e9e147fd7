// Registering our listener at the service, for accounts that want it: another program's webhook is left as it is.
import { type KnownSubscription, parseSubscription } from '#contract/webhooks.ts';
import { AppError } from '#domain/error.ts';
import type { Random } from '#domain/id.ts';
import { deleteHint, markHint, putHint, readHint, readHinted } from '#gateway/ledger/hints.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import type { Account, Accounts } from '#gateway/model/account.ts';
import type { HomesInHand } from '#gateway/model/homes.ts';
import { type Clock, every } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';
import type { Budget } from './budget.ts';
import type { CoreClient } from './core-client.ts';
import { digestOfSecret, HINT_HEADER } from './hint-listener.ts';
import type { Answer } from './transport.ts';

/** How often each registration is looked at: subscriptions get lost, and services disable those that failed. */
const REVIEW_EVERY_MS = 15 * 60_000;
const SECRET_BYTES = 32;

export interface RegisterParts {
  /** Address at which the service reaches our listener; null registers nowhere, and withdraws what was registered. */
  readonly url: string | null;
  readonly accounts: Accounts;
  readonly inHand: Pick<HomesInHand, 'run'>;
  readonly client: Pick<CoreClient, 'webhook'>;
  readonly budget: Budget;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

interface Registrar {
  /** Brings the registrations into line with what accounts want now. */
  review(): Promise<void>;
  close(): Promise<void>;
}

export function startRegistering(parts: RegisterParts): Registrar {
  const { accounts, inHand, ledger, clock, log } = parts;
  let last: Promise<void> = Promise.resolve();
  let closed = false;

  async function reviewAll(): Promise<void> {
    const hinted = new Set(await readHinted(ledger.read));
    for (const account of accounts.all()) {
      if (closed) return;
      const wanted = account.hints && parts.url !== null;
      if (!wanted && !hinted.has(account.accountRegNo)) continue;
      // In hand until the last request is answered: a secret that comes to the service after that of the next node would be known to nobody.
      const bringIntoLine = () => (wanted ? register(parts, account) : withdraw(parts, account));
      await inHand
        .run(account.home, bringIntoLine)
        .catch((error: unknown) => log.warn({ event: 'hints.postponed', accountRegNo: account.accountRegNo, err: error }));
    }
  }

  const review = (): Promise<void> => {
    last = last.then(reviewAll).catch((error: unknown) => log.error({ event: 'hints.review-failed', err: error }));
    return last;
  };
  const timer = every(clock, REVIEW_EVERY_MS, review, () => undefined);
  return {
    review,
    close() {
      closed = true;
      timer[Symbol.dispose]();
      return last;
    },
  };
}

async function register(parts: RegisterParts, { accountRegNo }: Account): Promise<void> {
  const { ledger, random, log } = parts;
  const url = `${parts.url}/hints/${accountRegNo}`;
  const there = await subscription(parts, accountRegNo);
  if (there && there.url !== url) {
    // Another program relies on it. Polling finds everything all the same.
    log.warn({ event: 'hints.taken', accountRegNo, host: hostOf(there.url) });
    return;
  }
  const known = await readHint(ledger.read, accountRegNo);
  if (there && known?.webhookId === there.id && there.enabled !== false && there.authType === 'api_key') return;

  const secret = Buffer.from(random(SECRET_BYTES)).toString('base64url');
  await ledger.write([], (rows) => putHint(rows, accountRegNo, digestOfSecret(secret)));
  const configured = parseSubscription((await ask(parts, accountRegNo, 'PUT', 'configure', { url, types: ['new_document'] })).body);
  if (!configured) throw new AppError('internal', 'the service did not tell which subscription it made');
  await ask(parts, accountRegNo, 'POST', `${configured.id}/auth`, { type: 'api_key', header: HINT_HEADER, value: secret });
  await ledger.write([], (rows) => markHint(rows, accountRegNo, configured.id));
  log.info({ event: 'hints.registered', accountRegNo, webhook: configured.id });
}

/** Removes the subscription at the service when it is still ours. */
async function withdraw(parts: RegisterParts, { accountRegNo }: Account): Promise<void> {
  const { ledger, log } = parts;
  const known = await readHint(ledger.read, accountRegNo);
  const there = await subscription(parts, accountRegNo);
  if (there && there.id === known?.webhookId && there.url.endsWith(`/hints/${accountRegNo}`)) {
    await ask(parts, accountRegNo, 'DELETE', 'configure');
  }
  await ledger.write([], (rows) => deleteHint(rows, accountRegNo));
  log.info({ event: 'hints.withdrawn', accountRegNo });
}

async function subscription(parts: RegisterParts, accountRegNo: string): Promise<KnownSubscription | undefined> {
  const answer = await ask(parts, accountRegNo, 'GET', 'configure');
  const there = answer.status === 404 ? undefined : parseSubscription(answer.body);
  if (answer.status === 200 && !there) throw new AppError('internal', 'the service answered with no subscription');
  return there;
}

/** Throws as `Budget.ask` does, and `internal` for whatever is no success; a GET may answer 404. */
async function ask(
  { client, budget }: RegisterParts,
  accountRegNo: string,
  method: 'GET' | 'PUT' | 'POST' | 'DELETE',
  rest: string,
  body?: object,
): Promise<Answer> {
  const answer = await budget.ask(accountRegNo, 'poll', () => client.webhook(accountRegNo, method, rest, body));
  const isFine = (answer.status >= 200 && answer.status < 300) || (method === 'GET' && answer.status === 404);
  if (!isFine) throw new AppError('internal', `the service answered ${answer.status}`);
  return answer;
}

/** The path may hold another program's secret. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : '';
}
