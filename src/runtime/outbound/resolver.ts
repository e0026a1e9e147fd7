// DNS, by the servers of the settings.
import { NODATA, NOTFOUND, Resolver } from 'node:dns/promises';
import { systemCode } from '#runtime/files/system-code.ts';

const LIMITS = { timeout: 3_000, tries: 2 } as const;

/** `servers`: false are those of the system. */
export function openResolver(servers: readonly string[] | false): Resolver {
  const resolver = new Resolver(LIMITS);
  if (servers) resolver.setServers(servers);
  return resolver;
}

/** Whether an answer is certain: there is no such name, or nothing of the kind under it. */
export function saysThereIsNone(error: unknown): boolean {
  const code = systemCode(error);
  return code === NOTFOUND || code === NODATA;
}
