// Which bytes of a file have been read: clients ask for pieces in any order, several at once, and for some twice.

export class Coverage {
  /** Apart from each other. */
  #parts: { from: number; to: number }[] = [];

  add(from: number, length: number): void {
    let added = { from, to: from + length };
    const apart = this.#parts.filter((part) => {
      const touches = part.to >= added.from && part.from <= added.to;
      if (touches) added = { from: Math.min(part.from, added.from), to: Math.max(part.to, added.to) };
      return !touches;
    });
    this.#parts = [...apart, added];
  }

  /** Whether all of the first `size` bytes are among them. */
  isWhole(size: number): boolean {
    return size === 0 || this.#parts.some(({ from, to }) => from === 0 && to >= size);
  }
}
