// The structure of a document by the element model of UBL: what an XML Schema validator would say, in sentences that help.
// One walk, in time that grows with the number of elements.
import type { Finding } from '#domain/document.ts';
import { placeOf } from '#rules/engine/place.ts';
import { newlines } from '#ubl/decode.ts';
import type { Basic } from '#ubl/model/data-types.ts';
import { isValue } from '#ubl/model/lexical.ts';
import { type Aggregate, type Model, modelOf, type Type, type UblVersion } from '#ubl/model/model.ts';
import { pointerPart } from '#ubl/pointer.ts';
import type { Complaint } from '#ubl/structure-rule.ts';
import { EXT, isBlank, type XmlElement } from '#ubl/tree.ts';
import {
  attributeSentence,
  childlessSentence,
  foreignSentence,
  missingSentence,
  requiredAttributeSentence,
  rootSentence,
  textSentence,
  unknownSentence,
  valueSentence,
} from './structure-sentences.ts';
import { Sequence } from './structure-sequence.ts';

/** Whoever repairs these will see the next ones. */
const FINDINGS_MAX = 100;
const VALUE_CHARACTERS_MAX = 200;
const SCHEMA_INSTANCE = '{http://www.w3.org/2001/XMLSchema-instance}';
const HINTS: ReadonlySet<string> = new Set(['schemaLocation', 'noNamespaceSchemaLocation', 'type']);

/** What is wrong with the structure; nothing exactly when the XML Schema of that release of UBL would accept the document. */
export function structureOf(root: XmlElement, version: UblVersion): readonly Finding[] {
  const model = modelOf(version);
  const walk: Walk = { model, findings: [] };
  const type = model.documents.get(root.tag);
  if (type) checkElement(root, type, walk);
  else complain(walk, root, rootSentence(root, model));
  return walk.findings;
}

interface Walk {
  readonly model: Model;
  readonly findings: Finding[];
}

function complain({ findings }: Walk, element: XmlElement, { rule, message }: Complaint, value?: string, attribute?: string): void {
  if (findings.length >= FINDINGS_MAX) return;
  const place = placeOf(element);
  const at =
    attribute === undefined
      ? place
      : { ...place, path: `${place.path}/@${attribute}`, pointer: `${place.pointer}/${pointerPart(attribute)}` };
  const shown = value === undefined ? {} : { value: value.slice(0, VALUE_CHARACTERS_MAX) };
  findings.push({ rule, severity: 'fatal', message, ...at, ...shown });
}

function checkElement(element: XmlElement, type: Type, walk: Walk): void {
  if (type.kind === 'basic') {
    checkBasic(element, type, walk);
    return;
  }
  if (element.attributes.size > 0) checkAttributes(element, undefined, walk);
  if (element.text !== '' && !isBlank(element.text)) complainOfText(walk, element);
  if (type.kind === 'aggregate') checkChildren(element, type, walk);
  // The content of an extension is its author's: any one element.
  else if (element.children.length !== 1 || !isForeign(element.children[0])) complain(walk, element, foreignSentence());
}

/** Text among elements: quoted, and told where it begins, which is not where its element does. */
function complainOfText({ findings }: Walk, element: XmlElement): void {
  if (findings.length >= FINDINGS_MAX) return;
  const text = firstTextOf(element);
  const { path, pointer } = placeOf(element);
  const at = element.line > 0 ? lineOfText(element, text) : {};
  const value = text.trim().slice(0, VALUE_CHARACTERS_MAX);
  findings.push({ ...textSentence(element, text), severity: 'fatal', path, pointer, ...at, value });
}

function firstTextOf({ text, mixed = [] }: XmlElement): string {
  return mixed.find((piece): piece is string => typeof piece === 'string' && !isBlank(piece)) ?? text;
}

/** Where its first character stands; the column only where nothing but white space is before it in the line. */
function lineOfText({ line, children, mixed, textLine }: XmlElement, text: string): { line: number; column?: number } {
  const leading = text.slice(0, text.length - text.trimStart().length);
  const isFirst = mixed === undefined || mixed[0] === text;
  const end = isFirst ? children[0]?.line : textLine;
  const begins = end === undefined ? line + newlines(leading) : end - newlines(text.slice(leading.length));
  return leading.includes('\n') ? { line: begins, column: leading.length - leading.lastIndexOf('\n') } : { line: begins };
}

function isForeign(element: XmlElement | undefined): boolean {
  return element !== undefined && element.namespace !== EXT && element.namespace !== '';
}

function checkBasic(element: XmlElement, type: Basic, walk: Walk): void {
  const [child] = element.children;
  if (child) complain(walk, child, childlessSentence(element, child));
  if (element.attributes.size > 0) checkAttributes(element, type, walk);
  for (const name of type.required) {
    if (!element.attributes.has(name)) complain(walk, element, requiredAttributeSentence(element, name));
  }
  if (type.content !== 'text' && !child && !isValue(type.content, element.text)) {
    complain(walk, element, valueSentence(element.tag, type.content, element.text), element.text.trim());
  }
}

function checkAttributes(element: XmlElement, type: Basic | undefined, walk: Walk): void {
  for (const [name, value] of element.attributes) {
    const content = type?.attributes.get(name);
    if (content === undefined) {
      if (isOfSchema(name)) continue;
      complain(walk, element, attributeSentence(element, name, type), value, name);
    } else if (content !== 'text' && !isValue(content, value)) {
      complain(walk, element, valueSentence(name, content, value), value, name);
    }
  }
}

/** Hints for schema validators may stand anywhere; xsi:nil may not, for no element of UBL may be nil. */
function isOfSchema(name: string): boolean {
  return name.startsWith(SCHEMA_INSTANCE) && HINTS.has(name.slice(SCHEMA_INSTANCE.length));
}

function checkChildren(element: XmlElement, type: Aggregate, walk: Walk): void {
  const sequence = new Sequence(element.children, type);
  for (const [index, child] of element.children.entries()) {
    if (walk.findings.length >= FINDINGS_MAX) return;
    const shape = sequence.shapeOf(child);
    if (!shape) {
      complain(walk, child, unknownSentence(child, type, sequence.meantBy(child), walk.model), child.text.trim() || undefined);
      continue;
    }
    const misplaced = sequence.step(child, index, shape);
    if (misplaced) complain(walk, child, misplaced);
    checkElement(child, shape.type, walk);
  }
  for (const missing of sequence.missing()) complain(walk, element, missingSentence(element, missing, type));
}
