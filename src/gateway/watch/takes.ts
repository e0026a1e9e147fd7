// How much is read and taken at once, over all folders: beyond a number of files, or of bytes in memory, the next one waits its turn.

export interface Takes {
  /** Resolves when a file of so many bytes may be read; dispose when it has been taken. One that is larger than the limit goes alone. */
  enter(bytes: number): Promise<Disposable>;
}

export function openTakes(filesMax: number, bytesMax: number): Takes {
  const waiting: { readonly bytes: number; readonly go: (leave: Disposable) => void }[] = [];
  let files = 0;
  let held = 0;

  function admit(): void {
    for (let next = waiting[0]; next && files < filesMax && (files === 0 || held + next.bytes <= bytesMax); next = waiting[0]) {
      waiting.shift();
      files++;
      held += next.bytes;
      next.go(leaving(next.bytes));
    }
  }

  function leaving(bytes: number): Disposable {
    return {
      [Symbol.dispose]() {
        files--;
        held -= bytes;
        admit();
      },
    };
  }

  return {
    enter(bytes) {
      return new Promise((go) => {
        waiting.push({ bytes, go });
        admit();
      });
    },
  };
}
