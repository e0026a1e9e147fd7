// Certificates of the listeners: that key and certificate belong together the configuration has checked already; here, until when they hold.
import { X509Certificate } from 'node:crypto';
import { dayOf } from '#domain/day.ts';
import type { Tls } from '#runtime/config/tls.ts';
import { type Check, type Finding, problem, type Site, warning, well } from './finding.ts';

const NOTICE_MS = 30 * 86_400_000;

export const checkCertificates: Check = async ({ config: { role, core, hints, admin }, nowMs }: Site) => {
  const used: [string, Tls | null][] = [
    ['core.tls', role === 'gateway' ? null : core.tls],
    ['hints.tls', role === 'gateway' ? hints.tls : null],
    ['admin.tls', admin.listen ? admin.tls : null],
  ];
  return used.flatMap(([setting, tls]) => (tls ? [judge(setting, new X509Certificate(tls.cert), nowMs)] : []));
};

function judge(setting: string, { validFrom, validTo, subject }: X509Certificate, nowMs: number): Finding {
  const [fromMs, untilMs] = [Date.parse(validFrom), Date.parse(validTo)];
  const name = `The certificate of ${setting} (${subject.replaceAll('\n', ', ')})`;
  const renew = 'Renew it, and have the daemon read the files again: systemctl reload dropgate.';
  if (untilMs <= nowMs) return problem(`${name} has ended on ${dayOf(untilMs)}.`, renew);
  if (fromMs > nowMs)
    return problem(`${name} holds from ${dayOf(fromMs)} only.`, 'Set the clock of this machine, or take another certificate.');
  if (untilMs - nowMs < NOTICE_MS) return warning(`${name} ends on ${dayOf(untilMs)}.`, renew);
  return well(`${name} holds until ${dayOf(untilMs)}.`);
}
