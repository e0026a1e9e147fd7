// The children of one element against the order of the model: which stand in the wrong place, stand too often, or are missing. One element
// in the wrong place is one finding, however many others it makes look wrong.
import type { Aggregate, Child } from '#ubl/model/model.ts';
import type { Complaint } from '#ubl/structure-rule.ts';
import type { XmlElement } from '#ubl/tree.ts';
import { crowdedSentence, earlySentence, lateSentence, meantBy, repeatedSentence } from './structure-sentences.ts';

const NONE: readonly Child[] = [];

/**
 * Rules compare these with each other, so that their time grows with the square of how many stand together. Schemas have no limit on
 * them; business documents have a handful.
 */
const CROWDS: Readonly<Record<string, number>> = {
  'cac:ClassifiedTaxCategory': 100,
  'cac:PartyIdentification': 100,
  'cac:PartyLegalEntity': 100,
  'cac:PartyTaxScheme': 100,
  'cac:PaymentMeans': 1000,
  'cac:TaxCategory': 100,
  'cac:TaxSubtotal': 1000,
  'cac:TaxTotal': 100,
};
/** Fewer than the least of them need not be looked up. */
const CROWD_MIN = 100;

/** How far we have come among the children of one element. */
export class Sequence {
  readonly #children: readonly XmlElement[];
  readonly #type: Aggregate;
  /** The place in the model that we have come to, and how many children stand there. */
  #at = 0;
  #times = 0;
  #skipped: Child[] | undefined;
  /** What stands in the wrong place, or was meant by an unknown element: told once, and not missed. */
  #elsewhere: Set<Child> | undefined;

  constructor(children: readonly XmlElement[], type: Aggregate) {
    this.#children = children;
    this.#type = type;
  }

  /** What the next child is in the model; undefined when it does not stand there at all. */
  shapeOf(child: XmlElement): Child | undefined {
    const expected = this.#type.children[this.#at];
    return expected?.tag === child.tag ? expected : this.#type.byTag.get(child.tag);
  }

  /** Goes on to the next child, of this shape. Returns what is wrong with its place. */
  step(child: XmlElement, index: number, shape: Child): Complaint | undefined {
    if (shape.position === this.#at) return this.#repeated(child, shape);
    if (this.#elsewhere?.has(shape)) return undefined;
    if (shape.position < this.#at) return this.#late(child, index, shape);
    const following = this.#different(index);
    if (following && this.#belongsBefore(following, shape)) return this.#misplaced(shape, earlySentence(child, following));
    this.#goOn(shape.position);
    this.#times = 1;
    return undefined;
  }

  #repeated(child: XmlElement, { many, tag }: Child): Complaint | undefined {
    const times = ++this.#times;
    if (!many) return times === 2 ? repeatedSentence(child) : undefined;
    const max = times > CROWD_MIN ? CROWDS[tag] : undefined;
    return times - 1 === max ? crowdedSentence(child, max) : undefined;
  }

  /** An unknown child: what it was probably meant to be. */
  meantBy(child: XmlElement): Child | undefined {
    const meant = meantBy(child, this.#type);
    if (meant) this.#note(meant);
    return meant;
  }

  /** What must be there and is not, once all children have been seen. */
  missing(): readonly Child[] {
    this.#goOn(this.#type.children.length);
    return this.#skipped?.filter((child) => !this.#elsewhere?.has(child)) ?? NONE;
  }

  #goOn(position: number): void {
    for (; this.#at < position; this.#at++, this.#times = 0) {
      const passed = this.#type.children[this.#at];
      if (passed?.required && this.#times === 0) {
        this.#skipped ??= [];
        this.#skipped.push(passed);
      }
    }
  }

  #late(child: XmlElement, index: number, shape: Child): Complaint {
    const before = this.#children.slice(0, index);
    if (!shape.many && before.some(({ tag }) => tag === child.tag)) return this.#misplaced(shape, repeatedSentence(child));
    const first = before.find(({ tag }) => (this.#type.byTag.get(tag)?.position ?? -1) > shape.position);
    return this.#misplaced(shape, lateSentence(child, first ?? child));
  }

  /** The next sibling of another name. */
  #different(index: number): XmlElement | undefined {
    const tag = this.#children[index]?.tag;
    let at = index + 1;
    while (this.#children[at]?.tag === tag) at++;
    return this.#children[at];
  }

  /** A sibling that belongs before this shape, and is no repetition of what has been: then it is this one that stands too early. */
  #belongsBefore(sibling: XmlElement, { position }: Child): boolean {
    const other = this.#type.byTag.get(sibling.tag);
    if (!other || other.position >= position) return false;
    return other.position > this.#at || (other.position === this.#at && (other.many || this.#times === 0));
  }

  #misplaced(shape: Child, complaint: Complaint): Complaint {
    this.#note(shape);
    return complaint;
  }

  #note(shape: Child): void {
    this.#elsewhere ??= new Set();
    this.#elsewhere.add(shape);
  }
}
