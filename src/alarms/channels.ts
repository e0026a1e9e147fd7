// The channels by which digests go: files always, mail and a webhook where the settings say so.
import type { Clock } from '#runtime/clock.ts';
import { openOutbound } from '#runtime/outbound/outbound.ts';
import type { Digest } from './digest.ts';
import { writeDigest } from './folder.ts';
import { sendMail } from './mail.ts';
import type { AlarmSettings } from './settings.ts';
import { postDigest } from './webhook.ts';

export interface Channel {
  readonly name: 'folder' | 'mail' | 'webhook';
  /** Resolves when the digest is taken; throws why it was not. It may come twice. */
  send(digest: Digest, at: number): Promise<void>;
}

export interface Channels {
  readonly all: readonly Channel[];
  /** Cuts what is under way. */
  close(): Promise<void>;
}

/** An administrator's own settings may point anywhere, at private networks, too. */
const EVERYWHERE = ['0.0.0.0/0', '::/0'];

export function openChannels(data: string, { mail, webhook, outbound: { ca, dns } }: AlarmSettings, clock: Clock): Channels {
  const all: Channel[] = [{ name: 'folder', send: (digest, at) => writeDigest(data, digest, at) }];
  if (mail) all.push({ name: 'mail', send: (digest) => sendMail(mail, digest) });
  const outbound = webhook && openOutbound({ allow: EVERYWHERE, deny: false, ca, dns }, clock);
  if (webhook && outbound) all.push({ name: 'webhook', send: (digest, at) => postDigest(outbound, webhook, digest, at) });
  return { all, close: async () => outbound?.close() };
}
