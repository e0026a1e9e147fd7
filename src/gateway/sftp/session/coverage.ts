// Which bytes of a file have been read: clients ask for pieces in any order, several at once, and for some twice.

/** More gaps than requests that may be under way: a client that leaves so many does not download. */
const PARTS_MAX = 256;

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
    this.#parts = [...apart, added].slice(-PARTS_MAX);
  }

  /** How many of the first bytes are among them, where the first `known` are anyway. */
  upTo(known: number): number {
    return Math.max(known, ...this.#parts.map(({ from, to }) => (from <= known ? to : 0)));
  }

  /** From which byte on all of the others are among them; `size` where the last one is not. */
  restFrom(size: number): number {
    return Math.min(size, ...this.#parts.map(({ from, to }) => (to >= size ? from : size)));
  }
}
