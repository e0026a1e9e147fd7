// What each bench is told.
export interface BenchOptions {
  /** Fewer and smaller documents, to see that the bench itself works. */
  readonly short: boolean;
  /** Documents a second, where a bench has a fixed rate; without it what the bench is written for. */
  readonly rate?: number | undefined;
  readonly print: (line: string) => void;
}
