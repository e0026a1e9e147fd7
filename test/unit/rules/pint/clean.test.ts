import { describe, expect, it } from 'vitest';
import { validate } from '#rules/validate.ts';
import { changed } from '../../../support/judged.ts';
import { creditNoteOf, invoiceOf, JURISDICTIONS } from './examples.ts';

const DAY = '2026-06-01';
const clean = (profile: string) => ({ valid: true, broken: false, profile, findings: [], untold: 0 });

describe.each(JURISDICTIONS)('%s', (jurisdiction) => {
  it('finds nothing wrong with our invoice', async () => {
    expect(await validate(invoiceOf(jurisdiction), { day: DAY })).toEqual(clean(jurisdiction));
  });

  const credit = creditNoteOf(jurisdiction);
  // Some profiles of Japan have no credit notes.
  if (!credit) return;
  it('finds nothing wrong with our credit note', async () => {
    expect(await validate(credit, { day: DAY })).toEqual(clean(jurisdiction));
  });
});

it.each([
  ['S030', 'pint', 'urn:peppol:pint:billing-1'],
  ['S031', 'pint-jp', 'urn:peppol:pint:billing-1@jp-1'],
  ['S032', 'pint-sg', 'urn:peppol:pint:billing-1@sg-1'],
  ['S033', 'pint-aunz', 'urn:peppol:pint:billing-1@aunz-1'],
  ['S034', 'pint-my', 'urn:peppol:pint:billing-1@my-1'],
  ['S036', 'pint-ae', 'urn:peppol:pint:billing-1@ae-1'],
] as const)('%s judges %s by its own rules', async (_sentence, jurisdiction, customization) => {
  const document = invoiceOf(jurisdiction);
  expect(new TextDecoder().decode(document)).toContain(`<cbc:CustomizationID>${customization}</cbc:CustomizationID>`);
  expect((await validate(document, { day: DAY })).profile).toBe(jurisdiction);
});

it('S035 takes PINT EU by the identifier of the specification as by that of the list', async () => {
  const spelled = changed(invoiceOf('pint-eu'), ['billing-1@eu-1', 'billing-1@en16931-2017@eu-3']);
  expect(await validate(spelled, { day: DAY })).toEqual(clean('pint-eu'));
});
