export interface IdempotencyKeys {
  /** The same key for the same input, until `forget`. */
  keyFor: (input: unknown) => string;
  /** The action has succeeded: the same input is a new action. */
  forget: () => void;
}

/**
 * Idempotency keys: if a response is lost, the same input is sent again with the same key, so that the server creates
 * nothing twice. Changed input gets a new key.
 */
export function idempotencyKeys(): IdempotencyKeys {
  let last: { text: string; key: string } | undefined;
  return {
    keyFor: (input) => {
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
