// All that it takes to speak to the service for the accounts of a gateway, put together: transport, budget, tokens and the client on top.
import { HEADER } from '#contract/headers.ts';
import type { Accounts } from '#gateway/model/account.ts';
import type { HomesInHand } from '#gateway/model/homes.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';
import { type Authority, openAuthority } from './authority.ts';
import type { BellCoverage } from './bell-coverage.ts';
import { Budget } from './budget.ts';
import { type CoreClient, openCoreClient } from './core-client.ts';
import { TokenCache } from './token-cache.ts';
import { openTransport, type Service, type Transport } from './transport.ts';

interface ServiceAccess {
  readonly client: CoreClient;
  readonly budget: Budget;
  readonly authority: Authority;
  /** Accounts or partners have changed: what was refused to them may be allowed by now. */
  forgive(): void;
  close(): Promise<void>;
}

interface AccessParts {
  readonly service: Service;
  readonly requestTimeoutMs: number;
  readonly accounts: Accounts;
  readonly inHand: Pick<HomesInHand, 'check'>;
  /** Told of each answer; null where nobody rings from afar. */
  readonly bellCoverage: BellCoverage | null;
  readonly clock: Clock;
  readonly log: Log;
}

export function openServiceAccess({ service, requestTimeoutMs, accounts, inHand, bellCoverage, clock, log }: AccessParts): ServiceAccess {
  const budget = new Budget(clock);
  const transport = telling(bellCoverage, openTransport(service, requestTimeoutMs));
  const tokens = new TokenCache({ transport, budget, clock, log });
  const authority = openAuthority(accounts, tokens);
  return {
    client: openCoreClient({ transport, budget, authority, inHand }),
    budget,
    authority,
    forgive: () => tokens.forgive(),
    async close() {
      tokens[Symbol.dispose]();
      await transport.close();
    },
  };
}

function telling(bellCoverage: BellCoverage | null, transport: Transport): Transport {
  if (!bellCoverage) return transport;
  return {
    async send(request) {
      const answer = await transport.send(request);
      bellCoverage.answered(answer.headers.get(HEADER.rings));
      return answer;
    },
    close: () => transport.close(),
  };
}
