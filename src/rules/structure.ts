// The structure of a document by the element model of UBL: what an XML Schema validator would say, in sentences that help.
// One walk, in time that grows with the number of elements.
import type { Finding } from '#domain/document.ts';
import type { Basic } from '#ubl/model/data-types.ts';
import { isValue } from '#ubl/model/lexical.ts';
import { type Aggregate, type Child, type Model, modelOf, type Type, type UblVersion } from '#ubl/model/model.ts';
import { pointerPart } from '#ubl/pointer.ts';
import type { Complaint } from '#ubl/structure-rule.ts';
import { EXT, isBlank, type XmlElement } from '#ubl/tree.ts';
import { placeOf } from './place.ts';
import {
  attributeSentence,
  childlessSentence,
  earlySentence,
  foreignSentence,
  lateSentence,
  meantBy,
  missingSentence,
  repeatedSentence,
  requiredAttributeSentence,
  rootSentence,
  textSentence,
  unknownSentence,
  valueSentence,
} from './structure-sentences.ts';

/** Whoever repairs these will see the next ones. */
const FINDINGS_MAX = 100;
const VALUE_CHARACTERS_MAX = 200;
const SCHEMA_INSTANCE = '{http://www.w3.org/2001/XMLSchema-instance}';

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
  if (element.text !== '' && !isBlank(element.text)) complain(walk, element, textSentence(element), element.text.trim());
  if (type.kind === 'aggregate') checkChildren(element, type, walk);
  // The content of an extension is its author's: any one element.
  else if (element.children.length !== 1 || !isForeign(element.children[0])) complain(walk, element, foreignSentence());
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
  return name.startsWith(SCHEMA_INSTANCE) && name !== `${SCHEMA_INSTANCE}nil`;
}

/**
 * Children stand in the order of the model. `at` is how far we have come in it; a child whose place lies behind is late, one that
 * jumps over its next sibling is early, so that one element in the wrong place is one finding.
 */
function checkChildren(element: XmlElement, type: Aggregate, walk: Walk): void {
  const { children } = element;
  const expected = type.children;
  let at = 0;
  let times = 0;
  const skipped: Child[] = [];
  const elsewhere = new Set<Child>();

  for (let index = 0; index < children.length && walk.findings.length < FINDINGS_MAX; index++) {
    const child = children[index];
    if (!child) continue;
    let shape = expected[at];
    if (shape?.tag !== child.tag) {
      shape = type.byTag.get(child.tag);
      if (!shape) {
        const meant = meantBy(child, type);
        complain(walk, child, unknownSentence(child, type, meant, walk.model), child.text.trim() || undefined);
        if (meant) elsewhere.add(meant);
        continue;
      }
      if (shape.position < at) {
        if (!elsewhere.has(shape)) complain(walk, child, lateComplaint(child, shape, children, type));
        elsewhere.add(shape);
      } else if (elsewhere.has(shape)) {
        // Told at the first one.
      } else if (isEarly(shape, at, times, type, different(children, index))) {
        complain(walk, child, earlySentence(child, different(children, index)));
        elsewhere.add(shape);
      } else {
        for (; at < shape.position; at++, times = 0) {
          const passed = expected[at];
          if (times === 0 && passed?.required) skipped.push(passed);
        }
        times = 1;
      }
    } else if (++times === 2 && !shape.many) {
      complain(walk, child, repeatedSentence(child));
    }
    checkElement(child, shape.type, walk);
  }
  if (walk.findings.length >= FINDINGS_MAX) return;
  for (; at < expected.length; at++, times = 0) {
    const left = expected[at];
    if (times === 0 && left?.required) skipped.push(left);
  }
  for (const missing of skipped) {
    if (!elsewhere.has(missing)) complain(walk, element, missingSentence(element, missing, type));
  }
}

/** The next sibling of another name. */
function different(children: readonly XmlElement[], index: number): XmlElement | undefined {
  const tag = children[index]?.tag;
  let at = index + 1;
  while (children[at]?.tag === tag && at < children.length) at++;
  return children[at];
}

/** The next sibling belongs before it, and is no repetition of what has been. */
function isEarly(shape: Child, at: number, times: number, type: Aggregate, following: XmlElement | undefined): boolean {
  const next = following && type.byTag.get(following.tag);
  if (!next || next.position >= shape.position) return false;
  return next.position > at || (next.position === at && (next.many || times === 0));
}

function lateComplaint(child: XmlElement, shape: Child, children: readonly XmlElement[], type: Aggregate): Complaint {
  const before = children.slice(0, children.indexOf(child));
  if (!shape.many && before.some(({ tag }) => tag === child.tag)) return repeatedSentence(child);
  const first = before.find(({ tag }) => (type.byTag.get(tag)?.position ?? -1) > shape.position);
  return lateSentence(child, first ?? child);
}
