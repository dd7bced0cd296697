/**
 * Keys for sending the same thing again: what is sent twice in a row has the same key, so that a repeat after a lost
 * answer makes nothing twice, and what was changed meanwhile has another.
 */
export function keysByContent(): (content: unknown) => string {
  let last: { text: string; key: string } | undefined;
  return (content) => {
    const text = JSON.stringify(content);
    if (last?.text !== text) last = { text, key: uniqueKey() };
    return last.key;
  };
}

/** A random key; `crypto.randomUUID` is missing outside secure contexts (plain http on a local network). */
export function uniqueKey(): string {
  if (typeof crypto.randomUUID === 'function') return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
