// A file in YAML, and the line on which each of its keys stands.
import { isMap, isNode, LineCounter, parseDocument } from 'yaml';
import { messageOf } from '#domain/error.ts';

export interface YamlProblem {
  /** Null when the file does not hold what the sentence is about. */
  readonly line: number | null;
  readonly sentence: string;
}

interface Yaml {
  /** Undefined where there are problems. */
  readonly value: unknown;
  /** Why it is no YAML; none when it is. */
  readonly problems: readonly YamlProblem[];
  /** The line of the key, or of the entry of a list, at a path. */
  lineOf(path: readonly string[]): number | null;
}

export function parseYaml(text: string): Yaml {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const lineAt = (offset: number): number => lines.linePos(offset).line;
  const problems: YamlProblem[] = document.errors.map(({ message, pos }) => ({ line: lineAt(pos[0]), sentence: message }));
  const lineOf = (path: readonly string[]): number | null => {
    const parent = path.length > 1 ? document.getIn(path.slice(0, -1), true) : document.contents;
    const key = isMap(parent) ? parent.items.find(({ key }) => String(key) === path.at(-1))?.key : document.getIn(path, true);
    return isNode(key) && key.range ? lineAt(key.range[0]) : null;
  };
  try {
    return { value: problems.length > 0 ? undefined : document.toJS(), problems, lineOf };
  } catch (error) {
    const sentence = messageOf(error);
    return { value: undefined, problems: [{ line: null, sentence }], lineOf };
  }
}
