import { describe, expect, it } from 'vitest';
import { documentOf } from '../../../support/documents.ts';
import { type Change, changed, findingsOf, idsOf } from '../../../support/judged.ts';

const ADVICE = documentOf('DespatchAdvice');

const withPerson = (scheme: string, number: string): Change => [
  '</cbc:EndpointID>',
  `$&<cac:PartyIdentification><cbc:ID schemeID="${scheme}">${number}</cbc:ID></cac:PartyIdentification>`,
];

describe('what all documents of the ordering family are asked', () => {
  it.each<[string, string, ...Change[]]>([
    ['an empty element', 'R001', [/<cbc:Note>.*</, '<cbc:Note> <']],
    [
      'a schema location',
      'R003',
      ['<DespatchAdvice ', '<DespatchAdvice xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="a b" '],
    ],
    ['a date with a time zone', 'R030', ['2026-03-02', '2026-03-02Z']],
    ['a day that does not exist', 'R030', ['2026-03-02', '2026-02-30']],
    ['a GLN with a wrong check digit', 'R040', ['7300010000001', '7300010000002']],
    ['a Swedish number with a wrong check digit', 'R049', withPerson('0007', '5567321708')],
    ['a Swedish number', '', withPerson('0007', '5567321707')],
    ['a Dutch number that is too short', 'R054', withPerson('0106', '1234567')],
  ])('%s: %s', (_what, id, ...changes) => {
    expect(idsOf(changed(ADVICE, ...changes), 'despatch-advice', 'PEPPOL-COMMON')).toEqual(id === '' ? [] : [`PEPPOL-COMMON-${id}`]);
  });

  it('refuses a schema location, and only advises against it where nothing forbids it', () => {
    const located = changed(ADVICE, [
      '<DespatchAdvice ',
      '<DespatchAdvice xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="a b" ',
    ]);
    const severities = findingsOf(located, 'despatch-advice').map(({ rule, severity }) => [rule, severity]);
    expect(severities).toEqual([
      ['PEPPOL-COMMON-R003', 'warning'],
      ['PEPPOL-T16-B00108', 'fatal'],
    ]);
  });
});
