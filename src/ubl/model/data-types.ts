// The data types of basic elements: what may stand in them, and which attributes they take (UBL unqualified data types 2.1; 2.3 has the same).

type Term = 'Amount' | 'BinaryObject' | 'Code' | 'Date' | 'Identifier' | 'Indicator' | 'Measure' | 'Number' | 'Quantity' | 'Text' | 'Time';

/** Types of XML Schema. Strings of all kinds are `text`, because any text is valid for them. */
export type Content = 'text' | 'decimal' | 'boolean' | 'date' | 'time' | 'base64' | 'language';

export interface Basic {
  readonly kind: 'basic';
  readonly term: Term;
  readonly content: Content;
  readonly attributes: ReadonlyMap<string, Content>;
  readonly required: readonly string[];
}

type Row = readonly [content: Content, attributes: string];

// Behind an attribute: ! required, @ an xsd:language. URIs are texts here: XML Schema forbids next to nothing in them.
const ROWS: Readonly<Record<Term, Row>> = {
  Amount: ['decimal', 'currencyID! currencyCodeListVersionID'],
  BinaryObject: ['base64', 'mimeCode! format encodingCode characterSetCode uri filename'],
  Code: ['text', 'listID listAgencyID listAgencyName listName listVersionID name languageID@ listURI listSchemeURI'],
  Date: ['date', ''],
  Identifier: ['text', 'schemeID schemeName schemeAgencyID schemeAgencyName schemeVersionID schemeDataURI schemeURI'],
  Indicator: ['boolean', ''],
  Measure: ['decimal', 'unitCode! unitCodeListVersionID'],
  Number: ['decimal', 'format'],
  Quantity: ['decimal', 'unitCode unitCodeListID unitCodeListAgencyID unitCodeListAgencyName'],
  Text: ['text', 'languageID@ languageLocaleID'],
  Time: ['time', ''],
};

/** The last word of a basic element's name is its representation term (UBL Naming and Design Rules), which fixes its type; else it is a text. */
const ENDINGS: readonly (readonly [ending: string, term: Term])[] = [
  ['Amount', 'Amount'],
  ['BinaryObject', 'BinaryObject'],
  ['Code', 'Code'],
  ['Date', 'Date'],
  ['ID', 'Identifier'],
  ['URI', 'Identifier'],
  ['Indicator', 'Indicator'],
  ['Measure', 'Measure'],
  ['Numeric', 'Number'],
  ['Percent', 'Number'],
  ['Rate', 'Number'],
  ['Quantity', 'Quantity'],
  ['Time', 'Time'],
];

const BASICS: Readonly<Record<Term, Basic>> = {
  Amount: basicOf('Amount'),
  BinaryObject: basicOf('BinaryObject'),
  Code: basicOf('Code'),
  Date: basicOf('Date'),
  Identifier: basicOf('Identifier'),
  Indicator: basicOf('Indicator'),
  Measure: basicOf('Measure'),
  Number: basicOf('Number'),
  Quantity: basicOf('Quantity'),
  Text: basicOf('Text'),
  Time: basicOf('Time'),
};

/** The type of the basic element of this name. */
export function basicNamed(name: string): Basic {
  return BASICS[ENDINGS.find(([ending]) => name.endsWith(ending))?.[1] ?? 'Text'];
}

function basicOf(term: Term): Basic {
  const [content, row] = ROWS[term];
  const words = row.split(' ').filter((word) => word !== '');
  const named = (word: string): string => word.replace(/[!@]$/, '');
  return {
    kind: 'basic',
    term,
    content,
    attributes: new Map(words.map((word) => [named(word), word.endsWith('@') ? 'language' : 'text'])),
    required: words.filter((word) => word.endsWith('!')).map(named),
  };
}
