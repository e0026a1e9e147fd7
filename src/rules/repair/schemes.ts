// The scheme of an electronic address that is known, or whose number says by its check digit what the name of its scheme means.
import { isGln } from '#domain/participant.ts';
import { EAS_EN } from '#rules/codes/identifier-schemes.ts';
import { isNorwegianNumber, isSwedishNumber } from '#rules/common/check-digits.ts';

/** Names that people write for schemes, in capitals. */
const NAMED: Readonly<Record<string, readonly (readonly [scheme: string, fits: (value: string) => boolean])[]>> = {
  GLN: [['0088', isGln]],
  EAN: [['0088', isGln]],
  ORGNR: [
    ['0007', isSwedishNumber],
    ['0192', isNorwegianNumber],
  ],
};

/** `known` are participants in normal form. Undefined where the address is known as it is stated, or more than one scheme may be meant. */
export function schemeMeantBy(stated: string | undefined, value: string, known: readonly string[]): string | undefined {
  const number = value.trim().toLowerCase();
  if (known.includes(`${stated}:${number}`)) return undefined;
  const [scheme, ...others] = known.filter((each) => each.slice(5) === number).map((each) => each.slice(0, 4));
  if (scheme !== undefined) return others.length === 0 ? scheme : undefined;
  if (stated === undefined || EAS_EN.values.has(stated)) return undefined;
  const bare = stated.trim();
  if (EAS_EN.values.has(bare)) return bare;
  const name = bare.toUpperCase();
  return Object.hasOwn(NAMED, name) ? NAMED[name]?.find(([, fits]) => fits(number))?.[0] : undefined;
}
