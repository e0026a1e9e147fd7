// The seam of windows: how much was asked within a time, in this process or in all that count at one server.

interface Spent {
  readonly points: number;
  /** Until the window ends, and the next one begins with nothing spent. */
  readonly endsInMs: number;
}

export interface Window {
  /** Spends so much of what a key has, none to look; the first begins its window. Returns what is spent. Never throws. */
  spend(key: string, points: number): Promise<Spent>;
}

export interface Windows {
  /** Windows of so many seconds; those of one name count together. */
  open(name: string, seconds: number): Window;
  close(): void;
}
