// Names of elements in the words of a sentence.

/** `cac:Price/cbc:BaseQuantity` → 'base quantity'; an attribute as it is written. */
export function wordsOf(path: string): string {
  const last = path.slice(path.lastIndexOf('/') + 1).replace(/^\w+:/, '');
  if (last.startsWith('@')) return `attribute ${last.slice(1)}`;
  return last
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .split(' ')
    .map((word) => (/^[A-Z]{2,}$/.test(word) ? word : word.toLowerCase()))
    .join(' ');
}

/** 'a' or 'an', and the words. */
export function anyOf(path: string): string {
  const words = wordsOf(path);
  return `${/^[aeio]|^[AEFHILMNORSX][A-Z]/.test(words) ? 'an' : 'a'} ${words}`;
}
