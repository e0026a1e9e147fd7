// What ERPs do over SFTP while gateways come and go: they upload, are cut off and go on where the server lets them, and take away what has come.
import type { SFTPWrapper } from 'ssh2';
import { write } from '../support/faults/world.ts';
import type { randomOf } from '../support/random.ts';
import { called, connect, type Door, openSftp } from '../support/sftp-clients.ts';

/** One upload of so many is cut off in the middle. */
const ONE_CUT_OF = 3;

export interface Session {
  readonly sftp: SFTPWrapper;
  /** Rejects when the connection goes: ssh2 does not call back for what was asked before. */
  readonly lost: Promise<never>;
  readonly end: () => void;
}

export async function openSession(door: Door): Promise<Session> {
  const client = await connect(door);
  const lost = new Promise<never>((_, reject) => client.once('close', () => reject(new Error('the connection was lost'))));
  lost.catch(() => undefined);
  return { sftp: await Promise.race([openSftp(client), lost]), lost, end: () => client.destroy() };
}

export interface File {
  readonly name: string;
  readonly bytes: Buffer;
}

/** By one try after the other, each in a session of its own where the one before has failed. */
export interface Uploading {
  /** Resolves when CLOSE was answered with OK. */
  upload(sftp: SFTPWrapper, file: File): Promise<void>;
  /** How many uploads were gone on with. */
  readonly resumed: number;
}

/** Whole files, from the beginning. */
export function wholeUploads(): Uploading {
  return { upload: (sftp, { name, bytes }) => write(sftp, `/inbox/${name}`, bytes), resumed: 0 };
}

/** Some are cut off, which throws; what the server shows of a file is gone on with. */
export function cutUploads(random: ReturnType<typeof randomOf>): Uploading {
  let resumed = 0;
  return {
    get resumed() {
      return resumed;
    },
    async upload(sftp, { name, bytes }) {
      const path = `/inbox/${name}`;
      const there = await sizeOf(sftp, name);
      const isPart = there > 0 && there < bytes.length;
      if (!isPart && random(1, ONE_CUT_OF) === 1) {
        const handle = await called<Buffer>((done) => sftp.open(path, 'w', done));
        await called((done) => sftp.write(handle, bytes, 0, random(1, bytes.length - 1), 0, done));
        throw new Error('cut off');
      }
      await write(sftp, path, bytes, isPart ? there : 0);
      if (isPart) resumed++;
    },
  };
}

async function sizeOf(sftp: SFTPWrapper, name: string): Promise<number> {
  const names = await called<{ filename: string; attrs: { size: number } }[]>((done) => sftp.readdir('/inbox', done));
  return names.find(({ filename }) => filename === name)?.attrs.size ?? 0;
}

/** Fetches what is in an outbox, and removes it. */
export class Taker {
  readonly #door: () => Door;
  readonly #taken: (name: string, bytes: Buffer) => void;
  /** Read, and perhaps removed: that was not answered. */
  readonly #held = new Map<string, Buffer>();
  #session: Session | null = null;
  #taking: Promise<unknown> = Promise.resolve();

  /** `taken` hears of each file when it has gone. */
  constructor(door: () => Door, taken: (name: string, bytes: Buffer) => void) {
    this.#door = door;
    this.#taken = taken;
  }

  /** Takes what is there; throws where the connection is lost on the way, and goes on the next time. */
  take(): Promise<void> {
    const taking = this.#taking.then(() => this.#take());
    this.#taking = taking.catch(() => undefined);
    return taking;
  }

  end(): void {
    this.#session?.end();
    this.#session = null;
  }

  async #take(): Promise<void> {
    try {
      this.#session ??= await openSession(this.#door());
      const { sftp, lost } = this.#session;
      await Promise.race([this.#takeBy(sftp), lost]);
    } catch (error) {
      this.end();
      throw error;
    }
  }

  async #takeBy(sftp: SFTPWrapper): Promise<void> {
    const names = await called<{ filename: string }[]>((done) => sftp.readdir('/outbox', done));
    const there = new Set(names.map(({ filename }) => filename));
    for (const name of [...this.#held.keys()].filter((each) => !there.has(each))) this.#gone(name);
    for (const name of there) {
      this.#held.set(name, await called<Buffer>((done) => sftp.readFile(`/outbox/${name}`, done)));
      await called((done) => sftp.unlink(`/outbox/${name}`, done));
      this.#gone(name);
    }
  }

  #gone(name: string): void {
    const bytes = this.#held.get(name);
    if (!bytes) return;
    this.#held.delete(name);
    this.#taken(name, bytes);
  }
}
