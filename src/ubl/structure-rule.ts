// The closed set of rules about structure; JSON and XML break the same ones.

type StructureRule =
  /** The root element is no document that we know. */
  | 'ubl-root'
  /** An element that UBL does not have, or not here. */
  | 'ubl-element'
  | 'ubl-namespace'
  | 'ubl-order'
  /** An element is missing, or occurs too often. */
  | 'ubl-cardinality'
  /** Text where only elements may stand. */
  | 'ubl-text'
  /** A value that is none of its type. */
  | 'ubl-type'
  | 'ubl-attribute'
  | 'ubl-extension'
  /** JSON that is not of UBL's shape: null, a list in a list, a value in the place of an element. */
  | 'json-shape';

export interface Complaint {
  readonly rule: StructureRule;
  readonly message: string;
}
