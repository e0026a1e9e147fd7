// What another implementation says of XML: libxml2 itself, as WebAssembly from npm. It is the oracle of our own canonicalisation and
// of the envelopes that we write, and needs no program of the machine.
import { readFileSync } from 'node:fs';
import { XmlC14NMode, XmlDocument, XsdValidator } from 'libxml2-wasm';

/** Canonical XML 1.0, exclusive or not, without comments. */
export function canonical(xml: string, exclusive: boolean): Buffer {
  using document = XmlDocument.fromString(xml);
  const mode = exclusive ? XmlC14NMode.XML_C14N_EXCLUSIVE_1_0 : XmlC14NMode.XML_C14N_1_0;
  return Buffer.from(document.canonicalizeToString({ mode }));
}

/** Throws what is wrong with `xml` by the schema in that file. */
export function checkBySchema(xml: string, schemaFile: string): void {
  using schema = XmlDocument.fromBuffer(readFileSync(schemaFile), { url: schemaFile });
  using validator = XsdValidator.fromDoc(schema);
  using document = XmlDocument.fromString(xml);
  validator.validate(document);
}

/** The text at a path in which elements have no prefix: `//Sender/Identifier`. */
export function textAt(xml: string, path: string): string {
  using document = XmlDocument.fromString(xml);
  const said = document.eval(`string(${path.replaceAll(/\/([A-Z]\w*)/g, "/*[local-name()='$1']")})`);
  return String(said).trim();
}
