// Pages of what belongs to the core: a gateway without one says so, and where to look.
import { toAppError } from '#domain/error.ts';
import { html } from './html.ts';
import type { Look } from './visit.ts';

/** Operations on what is not here answer `usage`. */
export function ofCore(title: string, look: Look): Look {
  return async (visit) => {
    try {
      return await look(visit);
    } catch (error) {
      const { code, message } = toAppError(error);
      if (code !== 'usage') throw error;
      return { title, body: html`<h1>${title}</h1><p class="nothing">${message}</p>` };
    }
  };
}
