// Writes into a source what tells each call of its functions: their bodies run within `__way`, which knows who called whom, across awaits as well.
import { parseSync, Visitor } from 'rolldown/utils';

/** A function of a source. One without a name has that of the one around it, and counts as part of it. */
export interface SourceFunction {
  readonly name: string;
  readonly isNamed: boolean;
}

interface Insertion {
  readonly at: number;
  readonly text: string;
}

type Visits = Required<NonNullable<ConstructorParameters<typeof Visitor>[0]>>;
type Visited<Kind extends keyof Visits> = Parameters<Visits[Kind]>[0];
type FunctionNode = Visited<'FunctionDeclaration' | 'FunctionExpression' | 'ArrowFunctionExpression'>;

/** Lines stay where they are. `first` is the number of its first function; the others follow. Accessors are left alone. */
export function instrumented(
  path: string,
  source: string,
  first: number,
): { readonly text: string; readonly functions: readonly SourceFunction[] } {
  const { program, errors } = parseSync(path, source);
  if (errors.length > 0) throw new SyntaxError(`${path} cannot be read`, { cause: errors });
  const functions: SourceFunction[] = [];
  const insertions: Insertion[] = [];
  const names = new Map<object, string>();
  const [accessors, constructors] = [new Set<object>(), new Set<object>()];
  const classes: string[] = [];
  const open: { readonly name: string; readonly end: Insertion | null }[] = [];

  function enter(node: FunctionNode): void {
    const own = names.get(node) ?? node.id?.name;
    const name = own ?? open.at(-1)?.name ?? '';
    let end: Insertion | null = null;
    if (node.body && !accessors.has(node)) {
      const { start, end: after } = node.body;
      const call = `__way(${first + functions.length}`;
      const begin = `${call}, ${node.async ? 'async ' : ''}() => `;
      functions.push({ name, isNamed: own !== undefined });
      // No arrow function can yield, or return what a constructor must: of these the call alone is told.
      if (node.generator || constructors.has(node)) insertions.push({ at: start + 1, text: `${call});` });
      else if (node.body.type === 'BlockStatement') {
        insertions.push({ at: start + 1, text: `return ${begin}{` });
        end = { at: after - 1, text: '});' };
      } else {
        insertions.push({ at: start, text: `${begin}(` });
        end = { at: after, text: '))' };
      }
    }
    open.push({ name, end });
  }

  function exit(): void {
    const end = open.pop()?.end;
    if (end) insertions.push(end);
  }

  function name({ key, value }: Visited<'Property' | 'PropertyDefinition' | 'MethodDefinition'>): void {
    if (value && (key.type === 'Identifier' || key.type === 'PrivateIdentifier')) names.set(value, key.name);
  }

  const enterClass = ({ id }: Visited<'ClassDeclaration'>): void => void classes.push(id?.name ?? '');
  const exitClass = (): void => void classes.pop();
  new Visitor({
    ClassDeclaration: enterClass,
    'ClassDeclaration:exit': exitClass,
    ClassExpression: enterClass,
    'ClassExpression:exit': exitClass,
    VariableDeclarator({ id, init }) {
      if (init && id.type === 'Identifier') names.set(init, id.name);
    },
    Property(node) {
      name(node);
      if (node.kind !== 'init') accessors.add(node.value);
    },
    PropertyDefinition: name,
    MethodDefinition(node) {
      name(node);
      if (node.kind === 'get' || node.kind === 'set') accessors.add(node.value);
      if (node.kind !== 'constructor') return;
      constructors.add(node.value);
      names.set(node.value, classes.at(-1) ?? '');
    },
    FunctionDeclaration: enter,
    'FunctionDeclaration:exit': exit,
    FunctionExpression: enter,
    'FunctionExpression:exit': exit,
    ArrowFunctionExpression: enter,
    'ArrowFunctionExpression:exit': exit,
  }).visit(program);
  return { text: inserted(source, insertions), functions };
}

/** What is inserted at one place stays in the order in which it was noted: inner functions end first. */
function inserted(source: string, insertions: readonly Insertion[]): string {
  let text = '';
  let from = 0;
  for (const each of insertions.toSorted((one, other) => one.at - other.at)) {
    text += source.slice(from, each.at) + each.text;
    from = each.at;
  }
  return text + source.slice(from);
}
