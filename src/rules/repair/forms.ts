// What a repair may change, each row for one kind of form. Amounts, quantities, numbers and names are in none of them.
import { normalized } from '#rules/engine/select.ts';
import { knownFor, meantBy } from '#rules/stated-profile.ts';
import type { XmlElement } from '#ubl/tree.ts';
import { codeMeantBy } from './codes.ts';
import { dateMeantBy } from './dates.ts';
import { schemeMeantBy } from './schemes.ts';

/** A value in another form. */
interface Reform {
  /** Undefined for the text of the element. */
  readonly attribute?: string;
  readonly to: string;
}

interface Place {
  readonly element: XmlElement;
  readonly root: XmlElement;
  /** Addresses of the sender, in normal form. */
  readonly addresses: readonly string[];
}

type Form = (place: Place) => readonly (Reform | undefined)[];

const FORMS: readonly Form[] = [
  ({ element }) => [
    ofText(element, element.tag.startsWith('cbc:') && element.name.endsWith('Date') ? dateMeantBy(element.text) : undefined),
  ],

  ({ element }) => [
    ofText(element, codeMeantBy(element.text, [`${element.parent?.tag}/${element.tag}`, element.tag])),
    ...[...element.attributes].map(([attribute, value]) => ofAttribute(attribute, codeMeantBy(value, [`@${attribute}`]))),
  ],

  ({ element, root }) => [
    ofText(
      element,
      element.tag === 'cbc:CustomizationID' && element.parent === root ? profileMeantBy(root, normalized(element.text)) : undefined,
    ),
  ],

  ({ element, addresses }) => [
    ofAttribute(
      'schemeID',
      element.tag === 'cbc:EndpointID' ? schemeMeantBy(element.attributes.get('schemeID'), element.text, addresses) : undefined,
    ),
  ],
];

/** What is to be written in another form at a place, beside what its rules say. */
export function reformsAt(place: Place): Reform[] {
  return FORMS.flatMap((form) => form(place)).filter((each) => each !== undefined);
}

function profileMeantBy(root: XmlElement, stated: string): string | undefined {
  return knownFor(root).includes(stated) ? undefined : meantBy(root, stated);
}

function ofText({ children, split }: XmlElement, to: string | undefined): Reform | undefined {
  return to === undefined || children.length > 0 || split === true ? undefined : { to };
}

function ofAttribute(attribute: string, to: string | undefined): Reform | undefined {
  return to === undefined ? undefined : { attribute, to };
}
