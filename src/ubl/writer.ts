// Writes a document of UBL from its first element to its last.
import { CAC, CBC, createTreeBuilder, documentNamespace, type ReadHandlers, type XmlElement } from './tree.ts';
import { writeXml } from './write.ts';

export class UblWriter {
  readonly #builder: ReadHandlers & { root(): XmlElement | null } = createTreeBuilder();

  /** `root`: the name of the document. */
  constructor(root: string) {
    this.#open(root, documentNamespace(root));
  }

  /** A basic component; an empty one is left out, for UBL has no empty elements. */
  value(name: string, text: string, attributes: Readonly<Record<string, string>> = {}): void {
    if (text === '') return;
    this.#open(name, CBC, attributes);
    this.#builder.text(text);
    this.#builder.close();
  }

  /** An aggregate component, with what `write` writes into it. */
  group(name: string, write: () => void): void {
    this.#open(name, CAC);
    write();
    this.#builder.close();
  }

  /** The whole document as XML. Throws `invalid` for characters that XML does not have. */
  end(): Uint8Array {
    this.#builder.close();
    const root = this.#builder.root();
    if (!root) throw new TypeError('a group was not closed');
    return writeXml(root);
  }

  #open(name: string, namespace: string, attributes: Readonly<Record<string, string>> = {}): void {
    this.#builder.open({ name, namespace, attributes: new Map(Object.entries(attributes)), line: 0, column: 0 });
  }
}
