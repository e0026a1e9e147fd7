// Names that DNS must know, and the remote service.
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { SML_ZONES } from '#core/network/identifiers.ts';
import { messageOf } from '#domain/error.ts';
import { systemCode } from '#runtime/files/system-code.ts';
import { openResolver } from '#runtime/outbound/resolver.ts';
import { type Check, type Finding, problem, type Site, warning, well } from './finding.ts';

const ANSWER_MS_MAX = 5_000;

/** The settings that name a host. */
export const checkNames: Check = async ({ config: { role, service, core, database } }) => {
  const urls: [string, string | null][] = [
    ['service.url', role === 'gateway' ? service.url : null],
    [
      'core.network.url',
      role !== 'gateway' && core.network.kind === 'peppol' && core.network.accessPoint === 'http' ? core.network.url : null,
    ],
  ];
  const hosts: [string, string | null][] = [
    ...urls.map(([setting, url]): [string, string | null] => [setting, url && new URL(url).hostname.replace(/^\[|\]$/g, '')]),
    ['database.url', database.url && !database.url.host.startsWith('/') ? database.url.host : null],
  ];
  return Promise.all(hosts.flatMap(([setting, host]) => (host === null || isIP(host) !== 0 ? [] : [resolveHost(setting, host)])));
};

async function resolveHost(setting: string, host: string): Promise<Finding> {
  try {
    const { address } = await lookup(host);
    return well(`${host} of ${setting} is ${address}.`);
  } catch (error) {
    return problem(`The host ${host} is not found (${messageOf(error)}).`, `Mend ${setting}, or the DNS servers of this machine.`);
  }
}

/** The zone in which participants are looked up, by the DNS servers that look them up. */
export const checkSml: Check = async ({ config: { role, environment, core, outbound } }) => {
  if (role === 'gateway' || core.network.kind === 'local') return [];
  const zone = core.network.sml ?? SML_ZONES[environment];
  const resolver = openResolver(outbound.dns);
  const known = [well(`DNS knows the zone ${zone} of participants.`)];
  try {
    await resolver.resolveSoa(zone);
    return known;
  } catch (error) {
    // The name is there, within a zone of another name.
    if (systemCode(error) === 'ENODATA') return known;
    return [
      problem(
        `DNS does not answer for the zone ${zone} of participants (${messageOf(error)}).`,
        'Mend core.network.sml, outbound.dns, or the DNS servers of this machine.',
      ),
    ];
  }
};

/** The gateway starts without it, and submits when it is there. */
export const checkService: Check = async ({ config: { role, service } }: Site) => {
  if (role !== 'gateway' || service.url === null) return [];
  try {
    const { status } = await fetch(`${service.url}/health`, { signal: AbortSignal.timeout(ANSWER_MS_MAX) });
    return [well(`The service at ${service.url} answers (${status}).`)];
  } catch (error) {
    return [
      warning(
        `The service at ${service.url} does not answer (${messageOf(error)}).`,
        'See that it runs and can be reached: files wait for it.',
      ),
    ];
  }
};
