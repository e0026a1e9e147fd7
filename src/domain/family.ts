// The table of the eight document families: one row, everything that differs between them.

export interface Family {
  /** Root element, and key of the document in JSON envelopes. */
  readonly name: FamilyName;
  readonly namespace: string;
  /** Canonical path segment of `/transaction/{accountRegNo}/{segment}/…`. */
  readonly segment: string;
  /** Last path segment of the read endpoint. */
  readonly read: string;
  /** Keys of the document id in a create response, the specified one first. */
  readonly idKeys: readonly string[];
  /** Elements from the root to the party that holds `cbc:EndpointID`. */
  readonly sender: readonly string[];
  readonly receiver: readonly string[];
  /** A self-billed document travels from customer to supplier (decisions A3). */
  readonly selfBilling: boolean;
  /** The specification lists the `integrationId` filter and `markUnread` on the read endpoint. */
  readonly readFilters: boolean;
  /** The specification lists the `Idempotency-Key` of its create endpoint; of the others a service may not know it. */
  readonly keys: boolean;
  /** One number goes to many receivers. */
  readonly manyReceivers: boolean;
}

export const FAMILY_NAMES = [
  'Invoice',
  'CreditNote',
  'Order',
  'OrderResponse',
  'OrderChange',
  'OrderCancellation',
  'Catalogue',
  'DespatchAdvice',
] as const;

export type FamilyName = (typeof FAMILY_NAMES)[number];

export function isFamilyName(name: string): name is FamilyName {
  return byName.has(name);
}

const SUPPLIER = ['AccountingSupplierParty', 'Party'];
const CUSTOMER = ['AccountingCustomerParty', 'Party'];
const BUYER = ['BuyerCustomerParty', 'Party'];
const SELLER = ['SellerSupplierParty', 'Party'];

const namespace = (root: FamilyName): string => `urn:oasis:names:specification:ubl:schema:xsd:${root}-2`;

type Row = [segment: string, read: string, idKeys: string[], sender: string[], receiver: string[], billing: boolean];

// biome-ignore format: one row, one family
const ROWS: Readonly<Record<FamilyName, Row>> = {
  Invoice:           ['invoices',            'readinvoices',           ['invoice_id'],                       SUPPLIER, CUSTOMER, true],
  CreditNote:        ['creditnotes',         'readcreditnotes',        ['creditnote_id'],                    SUPPLIER, CUSTOMER, true],
  Order:             ['orders',              'readorders',             ['order_id'],                         BUYER,    SELLER,   false],
  OrderResponse:     ['order-responses',     'readorderresponses',     ['orderresponse_id'],                 SELLER,   BUYER,    false],
  OrderChange:       ['order-changes',       'readorderchanges',       ['orderchange_id'],                   BUYER,    SELLER,   false],
  OrderCancellation: ['order-cancellations', 'readordercancellations', ['ordercancellation_id'],             BUYER,    SELLER,   false],
  Catalogue:         ['catalogues',          'readcatalogues',         ['catalogue_id'],                     ['ProviderParty'], ['ReceiverParty'], false],
  DespatchAdvice:    ['despatch-advices',    'readdespatchadvices',    ['catalogue_id', 'despatchadvice_id'], ['DespatchSupplierParty', 'Party'], ['DeliveryCustomerParty', 'Party'], false],
};

export const FAMILIES: readonly Family[] = FAMILY_NAMES.map((name) => {
  const [segment, read, idKeys, sender, receiver, billing] = ROWS[name];
  const as = { selfBilling: billing, readFilters: billing, keys: billing };
  return { name, namespace: namespace(name), segment, read, idKeys, sender, receiver, manyReceivers: name === 'Catalogue', ...as };
});

const byName = new Map<string, Family>(FAMILIES.map((family) => [family.name, family]));
const bySegment = new Map(FAMILIES.map((family) => [normalised(family.segment), family]));

/** The family with this root element, if it is one of ours. */
export function familyOfRoot(root: string): Family | undefined {
  return byName.get(root);
}

/** The family with this name. */
export function familyNamed(name: FamilyName): Family {
  const family = byName.get(name);
  if (!family) throw new RangeError(`no family ${name}`);
  return family;
}

/** The family of a path segment; hyphens and case do not matter (decisions A1). */
export function familyOfSegment(segment: string): Family | undefined {
  return bySegment.get(normalised(segment));
}

export function normalised(segment: string): string {
  return segment.replaceAll('-', '').toLowerCase();
}
