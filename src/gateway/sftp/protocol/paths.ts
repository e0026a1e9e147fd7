// Paths as clients send them: bytes, '/' between components, resolved by their spelling alone, for the tree has no links.
import { AppError } from '#domain/error.ts';
import type { ByteName } from '#gateway/model/intake.ts';

const DEPTH_MAX = 8;
const NAME_BYTES_MAX = 255;

/** The components from the top; '.', '..' and repeated slashes are resolved, and nothing leads above the top. Throws `name`. */
export function parsePath(path: ByteName): ByteName[] {
  if (path.includes('\0')) throw new AppError('name', 'a path must not contain NUL; choose another name');
  const components: ByteName[] = [];
  for (const component of path.split('/')) {
    if (component === '..') components.pop();
    else if (component !== '' && component !== '.') components.push(component);
  }
  if (components.length > DEPTH_MAX)
    throw new AppError('name', `a path may have at most ${DEPTH_MAX} folders; put files straight into inbox`);
  if (components.some((component) => component.length > NAME_BYTES_MAX)) {
    throw new AppError('name', `a name may have at most ${NAME_BYTES_MAX} bytes; choose a shorter one`);
  }
  return components;
}

export function formatPath(components: readonly ByteName[]): ByteName {
  return `/${components.join('/')}`;
}

/** A byte name as text, or null when it is not UTF-8. */
export function toText(name: ByteName): string | null {
  const bytes = Buffer.from(name, 'latin1');
  const text = bytes.toString();
  return Buffer.from(text).equals(bytes) ? text : null;
}
