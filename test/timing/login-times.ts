// How long the server takes to refuse a login that is there, and one that is not: by turns, each on connections of its own, so that
// whatever else the machine does concerns both alike.
import ssh2 from 'ssh2';
import { openPasswords } from '#runtime/auth/password.ts';
import { systemRandom } from '#runtime/clock.ts';
import { ed25519Pair } from '../support/keys.ts';
import { startTestServer } from '../support/sftp-server.ts';

export type Way = 'password' | 'keyboard-interactive' | 'publickey';

export interface Times {
  readonly knownMs: number;
  readonly unknownMs: number;
  /** The median of what a try with one differs from the try beside it with the other, as a part of the smaller median. */
  readonly difference: number;
}

/** One connection takes fewer requests than the server lets it make. */
const TRIES_PER_CONNECTION = 40;
const KNOWN = 'erp';
/** As long as the known one, so that the packets are alike. */
const UNKNOWN = 'erq';
const stranger = ed25519Pair();

const REQUESTS: Readonly<Record<Way, (username: string) => ssh2.AnyAuthMethod>> = {
  password: (username) => ({ type: 'password', username, password: 'not the right one' }),
  'keyboard-interactive': (username) => ({
    type: 'keyboard-interactive',
    username,
    prompt: (_name, _instructions, _language, _prompts, finish) => finish(['not the right one']),
  }),
  publickey: (username) => ({ type: 'publickey', username, key: stranger.private }),
};

/** A connection that has one try refused at a time. */
class Guesser {
  readonly #client = new ssh2.Client();
  #next: ((request: ssh2.AnyAuthMethod) => void) | undefined;
  #asked: PromiseWithResolvers<void> | undefined;

  /** Resolves when the first try can be made. */
  static async open(port: number, username: string): Promise<Guesser> {
    const guesser = new Guesser();
    const ready = guesser.#answered();
    guesser.#client.on('error', () => {});
    guesser.#client.on('close', () => guesser.#asked?.reject(new Error('the connection was cut')));
    guesser.#client.connect({
      host: '127.0.0.1',
      port,
      username,
      readyTimeout: 0,
      authHandler: (_methods, _isPartial, next) => {
        guesser.#next = next;
        guesser.#asked?.resolve();
      },
    });
    await ready;
    return guesser;
  }

  /** Milliseconds until the refusal. */
  async try(request: ssh2.AnyAuthMethod): Promise<number> {
    const answered = this.#answered();
    const from = performance.now();
    this.#next?.(request);
    await answered;
    return performance.now() - from;
  }

  close(): void {
    this.#asked = undefined;
    this.#client.end();
  }

  #answered(): Promise<void> {
    this.#asked = Promise.withResolvers();
    return this.#asked.promise;
  }
}

/** Over so many tries of each. */
export async function measure(way: Way, tries: number): Promise<Times> {
  const passwordHash = await openPasswords(systemRandom).hash('the right one');
  const publicKeys = Array.from({ length: 5 }, () => ed25519Pair().public);
  await using server = await startTestServer({
    // Forty tries take long on a machine that has much else to do: neither side may lose its patience.
    settings: { loginTries: 1_000, unauthenticatedPerAddressMax: 100, loginDeadline: 3_600_000 },
    logins: [{ login: KNOWN, passwordHash, publicKeys }],
  });
  const request = REQUESTS[way];
  const known: number[] = [];
  const unknown: number[] = [];
  while (known.length < tries) {
    const [one, other] = await Promise.all([Guesser.open(server.port, KNOWN), Guesser.open(server.port, UNKNOWN)]);
    // The first try of a connection looks up and allocates; it is not counted.
    await one.try(request(KNOWN));
    await other.try(request(UNKNOWN));
    for (let n = 0; n < TRIES_PER_CONNECTION && known.length < tries; n++) {
      // By turns, for what comes second may find something warm, or something to tidy up.
      if (n % 2 === 0) known.push(await one.try(request(KNOWN)));
      unknown.push(await other.try(request(UNKNOWN)));
      if (n % 2 === 1) known.push(await one.try(request(KNOWN)));
    }
    one.close();
    other.close();
  }
  const [knownMs, unknownMs] = [median(known), median(unknown)];
  // What a machine does beside it comes and goes: tries that were made one after the other met the same.
  const apart = median(known.map((time, at) => time - (unknown[at] ?? 0)));
  return { knownMs, unknownMs, difference: Math.abs(apart) / Math.min(knownMs, unknownMs) };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
