// What each bench is told.
export interface BenchOptions {
  /** Fewer and smaller documents, to see that the bench itself works. */
  readonly short: boolean;
  readonly print: (line: string) => void;
}
