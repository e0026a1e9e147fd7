// Which bytes of a file have been read: clients ask for pieces in any order, several at once, and for some twice.

export interface Coverage {
  add(from: number, length: number): void;
  /** Whether all of the first `size` bytes are among them. */
  isWhole(size: number): boolean;
}

export function openCoverage(): Coverage {
  /** Apart from each other. */
  let parts: { from: number; to: number }[] = [];
  return {
    add(from, length) {
      let added = { from, to: from + length };
      const apart = parts.filter((part) => {
        const touches = part.to >= added.from && part.from <= added.to;
        if (touches) added = { from: Math.min(part.from, added.from), to: Math.max(part.to, added.to) };
        return !touches;
      });
      parts = [...apart, added];
    },
    isWhole: (size) => size === 0 || parts.some(({ from, to }) => from === 0 && to >= size),
  };
}
