import { describe, expect, it } from 'vitest';
import {
  isAbn,
  isBelgianNumber,
  isCodiceFiscale,
  isGln,
  isGreekTin,
  isIban,
  isIpaCode,
  isNorwegianNumber,
  isPartitaIva,
  isSwedishNumber,
  startsAsSwedishNumber,
} from '#rules/common/check-digits.ts';

const CASES: readonly [check: (value: string) => boolean, good: readonly string[], bad: readonly string[]][] = [
  [isGln, ['7300010000001', '4012345500004', '0'], ['7300010000002', '73000A0000001', '', '7300010000001 ']],
  [isNorwegianNumber, ['974760673', '923609016', '974760010'], ['974760674', '000000000', '97476067', '9747606733']],
  [isBelgianNumber, ['0403170701', '0202239951', '0403170897'], ['0403170702', '403170701', '04031707011']],
  [isAbn, ['51824753556', '53004085616'], ['51824753557', '5182475355', '5182475355A']],
  [isSwedishNumber, ['5560360793', '2021005489'], ['5560360794', '556036-0793', '55603607930']],
  [startsAsSwedishNumber, ['5560360793', '556036079399'], ['556036079', '5560360794']],
  [isGreekTin, ['094014201', '094014380', '0940142010'], ['094014202', '09401420', 'EL094014201']],
  [isIpaCode, ['UFY9MH', 'abc123'], ['UFY9M', 'UFY9MHH', 'UFY-9M']],
  [isCodiceFiscale, ['RSSMRA85T10A562S', '12345678901', 'rssmra85t10a562s'], ['RSSMRA8AT10A562S', '1234567890', 'RSSMRA85T10A5621']],
  [isPartitaIva, ['IT00743110157', 'it00743110157', 'FR123', ''], ['IT00743110158', 'IT0074311015', 'ITX0743110157']],
  [isIban, ['DE89370400440532013000', 'GB82 WEST 1234 5698 7654 32'], ['DE89370400440532013001', 'de89370400440532013000', '', 'DE']],
];

describe('check digits', () => {
  it.each(CASES)('%O accepts what fits, and nothing else', (check, good, bad) => {
    expect(good.filter((value) => !check(value))).toEqual([]);
    expect(bad.filter(check)).toEqual([]);
  });
});
