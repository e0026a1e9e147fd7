// What is started is collected here as it starts, and released in reverse.
import { messageOf } from '#domain/error.ts';

type Release = () => unknown;

export class Lifecycle {
  readonly #releases: Release[] = [];

  /** Remembers how to release `resource`, and returns it. */
  own<Resource>(resource: Resource, release: (resource: Resource) => unknown): Resource {
    this.#releases.push(() => release(resource));
    return resource;
  }

  /** The same for what can be disposed of, if there is one. */
  use<Resource extends Disposable | AsyncDisposable | null | undefined>(resource: Resource): Resource {
    return this.own(resource, dispose);
  }

  /** Releases everything, the youngest first. One that fails does not keep the others from being released; what they threw is thrown at the end. */
  async stop(): Promise<void> {
    const errors: unknown[] = [];
    for (let release = this.#releases.pop(); release; release = this.#releases.pop()) {
      try {
        await release();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 1) throw new AggregateError(errors, errors.map(messageOf).join('; '));
    if (errors.length === 1) throw errors[0];
  }
}

async function dispose(resource: Disposable | AsyncDisposable | null | undefined): Promise<void> {
  await using _resource = resource;
}
