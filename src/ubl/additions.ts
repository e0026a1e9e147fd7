// Whether one document is another one with additions: services add to what they are sent.
import type { XmlElement } from './tree.ts';

/** Every element of ours stands in theirs with its attributes and its text, in order; theirs may have more of each kind but text. */
export function onlyAdds(ours: XmlElement, theirs: XmlElement): boolean {
  if (ours.name !== theirs.name || ours.namespace !== theirs.namespace) return false;
  for (const [name, value] of ours.attributes) if (theirs.attributes.get(name) !== value) return false;
  const text = ours.text.trim();
  if (text !== theirs.text.trim() && !(text === '' && ours.children.length > 0)) return false;
  // The first that fits is always right: what comes behind it has the most room then.
  let at = 0;
  return ours.children.every((child) => {
    while (at < theirs.children.length) {
      const other = theirs.children[at++];
      if (other && onlyAdds(child, other)) return true;
    }
    return false;
  });
}
