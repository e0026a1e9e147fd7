// A share of a time for each name, so that what is done for all of them from time to time is spread over it.

/** From 0 to below 1, another for each name. */
export function shareOf(name: string): number {
  return hashOf(name) / 2 ** 32;
}

/** When it was last the turn of a name, of turns that come every `everyMs`: spread over that time by what it is called. */
export function lastTurn(name: string, everyMs: number, nowMs: number): number {
  const phase = Math.floor(shareOf(name) * everyMs);
  return Math.floor((nowMs - phase) / everyMs) * everyMs + phase;
}

/** When it is its turn next. */
export function nextTurn(name: string, everyMs: number, nowMs: number): number {
  return lastTurn(name, everyMs, nowMs) + everyMs;
}

/** FNV-1a, 32 bits, with a last mix: names that differ in one letter must not come one after the other. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}
