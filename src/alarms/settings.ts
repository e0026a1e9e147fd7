// What alarms are told by.
import type { MailServer } from '#runtime/config/alarm-kinds.ts';
import type { OutboundSettings } from '#runtime/outbound/guard.ts';

export interface MailSettings {
  readonly to: readonly string[];
  readonly from: string;
  readonly server: MailServer;
  readonly user: string | null;
  readonly password: string | null;
  /** PEM. */
  readonly ca: string | null;
}

export interface WebhookSettings {
  readonly url: string;
  readonly secret: string | null;
}

export interface AlarmSettings {
  /** Between two digests of a channel. */
  readonly digest: number;
  /** Null tells nobody by mail. */
  readonly mail: MailSettings | null;
  /** Null posts nowhere. */
  readonly webhook: WebhookSettings | null;
  /** How names are resolved for the webhook, and who certifies it. */
  readonly outbound: Pick<OutboundSettings, 'ca' | 'dns'>;
}

/** A server beyond this machine that alarms need; a firewall, or the unit of systemd, must let us through. */
export interface Target {
  readonly what: 'mail server' | 'webhook';
  readonly host: string;
  readonly port: number;
}

/** What must be reachable for alarms to be told. */
export function targetsOf({ mail, webhook }: Pick<AlarmSettings, 'mail' | 'webhook'>): Target[] {
  const targets: Target[] = [];
  if (mail) targets.push({ what: 'mail server', host: mail.server.host, port: mail.server.port });
  if (webhook) {
    const { protocol, hostname, port } = new URL(webhook.url);
    targets.push({ what: 'webhook', host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (protocol === 'https:' ? 443 : 80) });
  }
  return targets;
}
