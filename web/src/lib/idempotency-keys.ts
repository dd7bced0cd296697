export interface IdempotencyKeys {
  /** The same key for the same input, until it is forgotten. */
  keyOf: (input: unknown) => string;
  /** The action is done: the same input again is meant as another action. */
  forget: () => void;
}

/**
 * Keys by which the server knows a repeat: after a lost answer the same input is sent with the same key, and nothing is made
 * twice. Input that was changed meanwhile has another one.
 */
export function idempotencyKeys(): IdempotencyKeys {
  let last: { text: string; key: string } | undefined;
  return {
    keyOf: (input) => {
      const text = JSON.stringify(input);
      if (last === undefined || last.text !== text) last = { text, key: randomKey() };
      return last.key;
    },
    forget: () => {
      last = undefined;
    },
  };
}

/** `crypto.randomUUID` is missing outside secure contexts (plain http on a local network). */
function randomKey(): string {
  if (typeof crypto.randomUUID === 'function') return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
