// Processing instructions, such as xml-stylesheet or the mark of a tool: between elements they mean nothing to a document, and are
// passed over; a value that has one inside is read in two ways, and refused.
import { isBlank } from './tree.ts';

interface Instructions {
  /** Character data, as it is read. */
  text(text: string): void;
  /** A tag that opens an element, or closes one. */
  tag(opens: boolean): void;
  instruction(target: string): void;
}

/** Both refuse: what was found inside a value, and more than `max` of them. */
export function createInstructions(max: number, inside: (target: string) => never, tooMany: () => never): Instructions {
  let count = 0;
  /** Since the last tag: the character data, and the last instruction. */
  let said = '';
  let found: string | null = null;
  let opened = false;
  return {
    text(text) {
      if (found !== null && !isBlank(text)) inside(found);
      said += text;
    },
    tag(opens) {
      // What ends where it began, without an element in it, is a value, if an empty one.
      if (found !== null && opened && !opens) inside(found);
      said = '';
      found = null;
      opened = opens;
    },
    instruction(target) {
      if (++count > max) tooMany();
      if (!isBlank(said)) inside(target);
      found = target;
    },
  };
}
