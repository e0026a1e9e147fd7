// Rows of PostgreSQL: Kysely over sessions.
import {
  type BinaryOperationNode,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  OperatorNode,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  PrimitiveValueListNode,
} from 'kysely';

export interface Source<Connection extends DatabaseConnection> {
  take(): Promise<Connection>;
  giveBack(connection: Connection): void;
}

/** One for all, by which what is prepared is known. */
const adapter = new PostgresAdapter();

/** Each query takes a connection from the source, and gives it back. */
export function rowsOf<Tables, Connection extends DatabaseConnection>(source: Source<Connection>): Kysely<Tables> {
  const dialect: Dialect = {
    createAdapter: () => adapter,
    createDriver: () => driverOf(source),
    createIntrospector: (rows) => new PostgresIntrospector(rows),
    createQueryCompiler: () => new Compiler(),
  };
  return new Kysely<Tables>({ dialect });
}

/** Of an empty list it says what SQLite makes of it: PostgreSQL does not read one. */
class Compiler extends PostgresQueryCompiler {
  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    const { operator, rightOperand } = node;
    const isOfNone = PrimitiveValueListNode.is(rightOperand) && rightOperand.values.length === 0;
    if (isOfNone && OperatorNode.is(operator)) this.append(operator.operator === 'in' ? 'false' : 'true');
    else super.visitBinaryOperation(node);
  }
}

/** Transactions are begun and ended by the engine itself. */
function driverOf<Connection extends DatabaseConnection>(source: Source<Connection>): Driver {
  const held = new Map<DatabaseConnection, Connection>();
  const refuse = (): Promise<never> => Promise.reject(new TypeError('a transaction is a write of the database'));
  return {
    init: async () => {},
    destroy: async () => {},
    async acquireConnection() {
      const connection = await source.take();
      held.set(connection, connection);
      return connection;
    },
    async releaseConnection(given) {
      const connection = held.get(given);
      held.delete(given);
      if (connection) source.giveBack(connection);
    },
    beginTransaction: refuse,
    commitTransaction: refuse,
    rollbackTransaction: refuse,
  };
}
