// The repair of a document that is refused for its forms alone: a date's form, a code's letters, the spelling of its CustomizationID, the scheme of
// a known address. It is a suggestion: a person looks at it, and sends it.
import type { Finding } from '#domain/document.ts';
import { AppError } from '#domain/error.ts';
import { REPAIR_BYTES_MAX, type Repaired, type RepairedValue } from '#domain/receipt.ts';
import { placeOf } from '#rules/engine/place.ts';
import { judge } from '#rules/validate.ts';
import { type Edit, edited } from '#ubl/edit.ts';
import { headOfTree } from '#ubl/head.ts';
import { readTree } from '#ubl/read.ts';
import { sniff } from '#ubl/sniff.ts';
import type { XmlElement } from '#ubl/tree.ts';
import { reformsAt } from './forms.ts';

/** More is no slip of form. */
const CHANGES_MAX = 200;
/** Rules that were not asked before may find more: those of the profile, once its name is right. */
const ROUNDS_MAX = 3;
const VALUE_CHARACTERS_MAX = 200;
/** So that no place of a repair is left out. */
const LIMITS = { findingsMax: 2 * CHANGES_MAX, findingsPerRuleMax: 2 * CHANGES_MAX };

export interface RepairOptions {
  /** The day whose rules hold, `YYYY-MM-DD`. */
  readonly day: string;
  /** Of the account that sends it, in normal form; none where they are not known. */
  readonly addresses: readonly string[];
}

interface Change extends Edit, RepairedValue {}

/** The document with its forms repaired; null where that does not make it valid by all rules, or nothing is to be repaired. Throws `unreadable`. */
export async function repaired(bytes: Uint8Array, options: RepairOptions): Promise<Repaired | null> {
  if (bytes.length > REPAIR_BYTES_MAX || sniff(bytes, true) !== 'xml') return null;
  let document = bytes;
  const changes: RepairedValue[] = [];
  for (let round = 0; round <= ROUNDS_MAX; round++) {
    const root = readTree(document);
    const isOwn = isSentBy(root, options.addresses);
    const { findings } = await judge(root, { day: options.day, limits: LIMITS });
    const fatal = findings.filter(({ severity }) => severity === 'fatal');
    if (fatal.length === 0 && isOwn) return changes.length > 0 ? { document, changes } : null;
    const next = changesOf(root, { fatal, isOwn, addresses: options.addresses });
    if (next.length === 0 || changes.length + next.length > CHANGES_MAX) return null;
    const written = edited(document, next);
    if (!written) return null;
    document = written;
    changes.push(...next.map(({ path, from, to }) => ({ path, from, to })));
  }
  return null;
}

interface Wrong {
  readonly fatal: readonly Finding[];
  readonly isOwn: boolean;
  readonly addresses: readonly string[];
}

/** Much follows from these, and no rule may point at them. */
const CAUSES = /^cbc:(?:CustomizationID|\w+CurrencyCode)$/;

/** Only where a rule points, where what it has found may come from, or the sender is a stranger. */
function changesOf(root: XmlElement, { fatal, isOwn, addresses }: Wrong): Change[] {
  const places = new Set(fatal.map(({ line, column }) => `${line}:${column}`));
  const isWrong = ({ line, column, tag }: XmlElement): boolean =>
    places.has(`${line}:${column}`) || CAUSES.test(tag) || (!isOwn && tag === 'cbc:EndpointID');
  return inOrder(root, []).flatMap((element, index) =>
    isWrong(element) ? reformsAt({ element, root, addresses }).flatMap((each) => changeOf(element, index, each)) : [],
  );
}

function changeOf(element: XmlElement, index: number, { attribute, to }: ReturnType<typeof reformsAt>[number]): Change[] {
  const from = (attribute === undefined ? element.text : element.attributes.get(attribute)) ?? null;
  if (from !== null && from.length > VALUE_CHARACTERS_MAX) return [];
  const { path } = placeOf(element);
  return [{ element: index, attribute, value: to, path: attribute === undefined ? path : `${path}/@${attribute}`, from, to }];
}

/** All elements in the order in which they begin. */
function inOrder(element: XmlElement, found: XmlElement[]): XmlElement[] {
  found.push(element);
  for (const child of element.children) inOrder(child, found);
  return found;
}

function isSentBy(root: XmlElement, addresses: readonly string[]): boolean {
  try {
    return addresses.length === 0 || addresses.includes(headOfTree(root).sender);
  } catch (error) {
    // A head that lacks something has a sender that is nobody's.
    if (error instanceof AppError && error.code === 'invalid') return false;
    throw error;
  }
}
