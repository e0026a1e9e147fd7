// What the configuration says of alarms, as they take it.
import type { Config } from '#runtime/config/config.ts';
import type { NamedCertificates } from './machine.ts';
import type { AlarmSettings, MailSettings } from './settings.ts';

export function alarmSettings({
  alarms: { digest, mail, webhook },
  outbound: { ca, dns },
}: Pick<Config, 'alarms' | 'outbound'>): AlarmSettings {
  const { url, secret } = webhook;
  return { digest, mail: mailSettings(mail), webhook: url === null ? null : { url, secret }, outbound: { ca, dns } };
}

/** The configuration is refused where one of these is missing. */
function mailSettings({ to, from, server, ...rest }: Config['alarms']['mail']): MailSettings | null {
  return to === false || from === null || server === null ? null : { to, from, server, ...rest };
}

/** The certificates that this daemon shows. */
export function shownCertificates({ role, core, hints, admin }: Config): NamedCertificates {
  return [
    { setting: 'core.tls', pem: role === 'gateway' ? null : (core.tls?.cert ?? null) },
    { setting: 'hints.tls', pem: role === 'gateway' ? (hints.tls?.cert ?? null) : null },
    { setting: 'admin.tls', pem: admin.tls?.cert ?? null },
  ];
}
