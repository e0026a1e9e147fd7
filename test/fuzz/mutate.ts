// Documents that somebody got wrong: a valid document with a few things changed at random, repeatable by a seed.
import { createTreeBuilder, type OpenElement, type XmlElement } from '#ubl/tree.ts';
import type { randomOf } from '../support/random.ts';

type Random = ReturnType<typeof randomOf>;

interface Draft extends OpenElement {
  name: string;
  namespace: string;
  attributes: Map<string, string>;
  children: Draft[];
  text: string;
}

// biome-ignore format: one list of values
const VALUES = [
  '', ' ', '0', '-1', '1', '0.001', '-0.00', '99999999999999999999999999999999.99', '1e3', 'NaN', '1,5', '.', '-', 'S', 'Z', 'AE', 'K', 'O', 'VAT', 'GST',
  'EUR', 'SEK', 'XXX', 'SE', 'DE', 'zz', '380', '381', '30', '58', 'true', 'false', 'TRUE', '2026-02-29', '2026-13-01', '2026-11-21', '2026-11-21Z', '12:00:00',
  '0088', '0007', '9930', '#AAI#x', 'Ünïcödé \u{1f600}', 'x'.repeat(5_000), '\n  padded\t ', '<&>"\'', 'urn:peppol:pint:billing-1', 'DE123456789', 'IT', 'AA==', '=',
];
const NAMES = ['ID', 'Note', 'Amount', 'Party', 'TaxTotal', 'AllowanceCharge', 'Item', 'IssueDate', 'Unheard'];
const ATTRIBUTES = ['schemeID', 'currencyID', 'unitCode', 'mimeCode', 'listID', 'unheard'];

/** The document with one to four changes. */
export function mutated(root: XmlElement, random: Random): XmlElement {
  const draft = draftOf(root);
  for (let changes = random(1, 4); changes > 0; changes--) change(draft, random);
  const builder = createTreeBuilder();
  tell(draft, builder);
  const built = builder.root();
  if (!built) throw new Error('nothing was built');
  return built;
}

/** The bytes with a piece cut, doubled or replaced. */
export function torn(bytes: Uint8Array, random: Random): Uint8Array {
  const at = random(0, bytes.length - 1);
  const length = random(1, 40);
  const [before, piece, after] = [bytes.subarray(0, at), bytes.subarray(at, at + length), bytes.subarray(at + length)];
  const noise = Uint8Array.from({ length: random(1, 8) }, () => random(0, 255));
  const ways = [[before], [before, after], [before, piece, piece, after], [before, noise, after], [before, noise, piece, after]];
  return Buffer.concat(ways[random(0, ways.length - 1)] ?? []);
}

function change(root: Draft, random: Random): void {
  const all = [...below(root, null)];
  const { draft, parent } = pick(all, random);
  const changes: readonly (() => unknown)[] = [
    () => Object.assign(draft, { text: pick(VALUES, random) }),
    () => Object.assign(draft, { text: pick(VALUES, random) }),
    () => Object.assign(draft, { text: pick(VALUES, random) }),
    () => draft.attributes.set(pick(ATTRIBUTES, random), pick(VALUES, random)),
    () => draft.attributes.clear(),
    () => Object.assign(draft, { name: pick(NAMES, random) }),
    () => Object.assign(draft, { namespace: pick(all, random).draft.namespace }),
    () => parent?.children.splice(parent.children.indexOf(draft), 1),
    () => parent?.children.splice(parent.children.indexOf(draft), 0, copyOf(draft)),
    () => parent?.children.reverse(),
    () => draft.children.push(copyOf(pick(all, random).draft)),
    () => draft.children.splice(0),
  ];
  pick(changes, random)();
}

function* below(draft: Draft, parent: Draft | null): Generator<{ draft: Draft; parent: Draft | null }> {
  yield { draft, parent };
  for (const child of draft.children) yield* below(child, draft);
}

function pick<T>(from: readonly T[], random: Random): T {
  const picked = from[random(0, from.length - 1)];
  if (picked === undefined) throw new RangeError('nothing to pick from');
  return picked;
}

function draftOf({ name, namespace, attributes, children, text }: XmlElement): Draft {
  return { name, namespace, attributes: new Map(attributes), children: children.map(draftOf), text, line: 0, column: 0 };
}

function copyOf(draft: Draft): Draft {
  return { ...draft, attributes: new Map(draft.attributes), children: draft.children.map(copyOf) };
}

function tell(draft: Draft, builder: ReturnType<typeof createTreeBuilder>): void {
  builder.open({ ...draft, attributes: new Map(draft.attributes) });
  builder.text(draft.text);
  for (const child of draft.children) tell(child, builder);
  builder.close();
}
