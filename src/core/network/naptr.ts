// Finds a participant's SMP: a U-NAPTR record, from the DNS servers of the settings (RFC 4848, Peppol SML).
import type { NaptrRecord } from 'node:dns';
import type { Resolver } from 'node:dns/promises';
import { AppError } from '#domain/error.ts';
import { systemCode } from '#runtime/files/system-code.ts';
import { openResolver, saysThereIsNone } from '#runtime/outbound/resolver.ts';

const SERVICE = 'meta:smp';

/** The base address of the SMP, without a slash at its end; null when the name is certainly not registered. */
export type FindSmp = (name: string) => Promise<string | null>;

/** Throws `internal` when DNS gives no certain answer now. */
export function openNaptr(servers: readonly string[] | false): FindSmp {
  const resolver = openResolver(servers);
  return async (name) => smpOf(await recordsOf(resolver, name));
}

async function recordsOf(resolver: Resolver, name: string): Promise<NaptrRecord[]> {
  try {
    return await resolver.resolveNaptr(name);
  } catch (error) {
    if (saysThereIsNone(error)) return [];
    const code = systemCode(error) ?? 'no reason given';
    throw new AppError('internal', `DNS cannot say now where the receiver is registered (${code}).`, { cause: error });
  }
}

/** The lowest order counts, then the lowest preference. */
function smpOf(records: readonly NaptrRecord[]): string | null {
  const [best] = records
    .filter(({ flags, service }) => flags.toLowerCase() === 'u' && service.toLowerCase() === SERVICE)
    .sort((a, b) => a.order - b.order || a.preference - b.preference);
  if (!best) return null;
  // `!.*!https://smp.example!`: the first character delimits, the second part replaces.
  const [, , address = ''] = best.regexp.split(best.regexp.charAt(0));
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url && (url.protocol === 'https:' || url.protocol === 'http:') && !url.username && !url.search) return url.href.replace(/\/+$/, '');
  throw new AppError('internal', 'DNS names no usable address for the SMP of the receiver.');
}
