// The receiving half of the stand-in access point: what it gets by AS4 it forwards to a back end, as phoss-ap's http_post_sync does.
import type { ServerResponse } from 'node:http';

interface Received {
  readonly envelope: string;
  status: 'forwarding' | 'forwarded' | 'forward_failed' | 'permanently_failed';
  c4CountryCode: string | null;
  attempts: number;
}

export interface Inbound {
  /** It has received this envelope; resolves when the first try to forward it has ended. */
  receive(instanceId: string, envelope: string): Promise<void>;
  /** Tries again what could not be forwarded. */
  retry(): Promise<void>;
  /** Answers what is asked below /api/inbound/. */
  tell(path: string, response: ServerResponse): void;
}

/** By default it tries three times. */
const ATTEMPTS_MAX = 3;

export function openInbound(backendUrl: string | null, token: string): Inbound {
  const received = new Map<string, Received>();

  async function forward(instanceId: string, transaction: Received): Promise<void> {
    if (backendUrl === null) return;
    transaction.attempts += 1;
    const response = await fetch(backendUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/xml; charset=UTF-8', 'x-token': token, 'x-sbdh-instance-id': instanceId },
      body: transaction.envelope,
    });
    const answer = response.ok ? objectIn(await response.text()) : undefined;
    if (answer && answer.retry !== 'none') {
      transaction.status = 'forwarded';
      transaction.c4CountryCode = typeof answer.countryCodeC4 === 'string' ? answer.countryCodeC4 : null;
      return;
    }
    transaction.status = answer || transaction.attempts >= ATTEMPTS_MAX ? 'permanently_failed' : 'forward_failed';
  }

  return {
    async receive(instanceId, envelope) {
      const transaction: Received = { envelope, status: 'forwarding', c4CountryCode: null, attempts: 0 };
      received.set(instanceId, transaction);
      await forward(instanceId, transaction);
    },
    async retry() {
      for (const [instanceId, transaction] of received) {
        if (transaction.status === 'forward_failed') await forward(instanceId, transaction);
      }
    },
    tell(path, response) {
      const isMissing = ({ status, c4CountryCode }: Received): boolean => status === 'forwarded' && c4CountryCode === null;
      const isEmpty = ![...received.values()].some(isMissing);
      // A list that is not empty is more than phoss-ap 0.10.2 to 0.11.0 can write.
      const status = path !== '/api/inbound/missing-c4-country-code' ? 404 : isEmpty ? 200 : 500;
      response.writeHead(status, { 'content-type': 'application/json' }).end(status === 200 ? '[]' : '{}');
    },
  };
}

function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? { ...parsed } : undefined;
  } catch {
    return undefined;
  }
}
