// What the JSON form must know of UBL's element model: which elements are lists, which values are numbers or indicators.

export interface Shape {
  /** The element is written as a list even when it occurs once. */
  isList(parent: string, name: string): boolean;
  kindOf(name: string): 'number' | 'indicator' | 'text';
}

// The last word of a basic element's name is its representation term (UBL Naming and Design Rules), which fixes its data type.
const NUMBER = /(?:Amount|Quantity|Percent|Numeric|Rate|Measure)$/;
const INDICATOR = /Indicator$/;

/** By names alone: types follow from the representation term, lists are elements that do repeat. */
export const SHAPE_BY_NAME: Shape = {
  isList: () => false,
  kindOf: (name) => (NUMBER.test(name) ? 'number' : INDICATOR.test(name) ? 'indicator' : 'text'),
};
