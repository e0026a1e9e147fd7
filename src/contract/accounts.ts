// An account as the partner API shows it: its fields, its features, and the envelopes around them.
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { closed } from './closed.ts';
import { success } from './success.ts';

/** Null is a field that was never filled in, so that what was read can be sent back as it stands. */
const text = (maxLength: number, description: string) => Type.Union([Type.String({ maxLength }), Type.Null()], { description });

/** What is told about the company (decisions A1, Partner). Nothing of it decides anything. */
const ProfileFields = {
  vatNumber: text(50, 'VAT registration number.'),
  email: text(320, 'E-mail address of the company.'),
  address: text(200, 'Street and number.'),
  additionalAddress: text(200, 'Second line of the address.'),
  boxAddress: text(200, 'Post office box.'),
  postalCode: text(20, 'Postal code.'),
  city: text(100, 'City.'),
  country: Type.Union([Type.String({ pattern: '^[A-Z]{2}$' }), Type.Null()], { description: 'ISO 3166-1, two letters.' }),
  currency: Type.Union([Type.String({ pattern: '^[A-Z]{3}$' }), Type.Null()], { description: 'ISO 4217, three letters.' }),
  vat: text(50, 'VAT rate or category that the company usually has.'),
  website: text(500, 'Address of the website.'),
  invoiceEmail: text(320, 'E-mail address for invoices.'),
  invoicePhone: text(50, 'Telephone number for invoices.'),
  OurReference: text(200, 'The reference that the company goes by.'),
};

const Profile = Type.Object(ProfileFields);
export type Profile = Type.Static<typeof Profile>;

export const PartialProfile = Type.Partial(Profile);
export const partialProfile = Compile(PartialProfile);

// biome-ignore format: one list of names
export const EMPTY_PROFILE: Profile = {
  vatNumber: null, email: null, address: null, additionalAddress: null, boxAddress: null, postalCode: null, city: null,
  country: null, currency: null, vat: null, website: null, invoiceEmail: null, invoicePhone: null, OurReference: null,
};

const Switch = closed({ active: Type.Boolean() });
const Switches = closed({ apiIntegration: Switch, sftpIntegration: Switch, capture: Switch });
const AccountName = Type.String({ minLength: 1, maxLength: 200, description: 'Name of the company.' });
const AccountRegNo = Type.String({ minLength: 1, maxLength: 64, description: 'The account registration number.' });

const Given = {
  ...PartialProfile.properties,
  appFeatures: Type.Optional(
    Type.Partial(Switches, { additionalProperties: false, description: 'Features by name; one that is left out stays as it is.' }),
  ),
};

export const NewAccount = closed({ accountRegNo: AccountRegNo, name: AccountName, ...Given });
export type NewAccount = Type.Static<typeof NewAccount>;

/** What is left out stays as it is; `accountRegNo` may be sent along and cannot be changed. */
export const AccountChange = Type.Object(
  { accountRegNo: Type.Optional(AccountRegNo), name: Type.Optional(AccountName), ...Given },
  { additionalProperties: false },
);
export type AccountChange = Type.Static<typeof AccountChange>;

export const Account = Type.Object({ accountRegNo: AccountRegNo, name: AccountName, ...ProfileFields, appFeatures: Switches });
export type Account = Type.Static<typeof Account>;

export const AccountEnvelope = success(Account);
export const AccountsEnvelope = success(Type.Array(Account));
