// What is said to PostgreSQL in this process, once `countQueries` was called.

export const queries = {
  /** Not answered yet; and connections that are being made. */
  underWay: 0,
  /** How often there was nothing to do for a connection but to wait for an answer: what is said meanwhile waits with it. */
  waits: 0,
  /** Told of each statement. */
  heard: (_text: string): void => {},
};

/** The statements of some work, where nothing else is said meanwhile. */
export async function saidIn(work: () => Promise<unknown>): Promise<string[]> {
  const statements: string[] = [];
  queries.heard = (text) => void statements.push(text);
  try {
    await work();
  } finally {
    queries.heard = () => {};
  }
  return statements;
}

interface Client {
  query(...given: readonly unknown[]): unknown;
  connect(...given: readonly unknown[]): unknown;
}

/** Counts the queries of all clients. */
export function countQueries(client: Client): void {
  const { query, connect } = client;
  const waiting = new WeakMap<Client, number>();
  client.connect = function (told) {
    queries.underWay++;
    const connected = (): void => void queries.underWay--;
    if (typeof told === 'function') {
      return connect.call(this, (...how: readonly unknown[]) => {
        connected();
        told(...how);
      });
    }
    const made = connect.call(this);
    if (made instanceof Promise) made.then(connected, connected);
    return made;
  };
  client.query = function (...given) {
    const [first] = given;
    queries.heard(typeof first === 'object' && first !== null && 'text' in first ? String(first.text) : String(first));
    const before = waiting.get(this) ?? 0;
    waiting.set(this, before + 1);
    queries.underWay++;
    if (before === 0) queries.waits++;
    const answered = (): void => {
      waiting.set(this, (waiting.get(this) ?? 1) - 1);
      queries.underWay--;
    };
    const answer = query.apply(this, [...given]);
    if (answer instanceof Promise) answer.then(answered, answered);
    else answered();
    return answer;
  };
}
