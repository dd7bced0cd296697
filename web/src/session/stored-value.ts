/** A value in local storage that all tabs share. If storage is forbidden, the value lives as long as the page. */
export interface StoredValue<T> {
  get: () => T | undefined;
  set: (value: T | undefined) => void;
  /** Called after each change, in this tab or another. */
  subscribe: (listener: () => void) => () => void;
}

export function storedValue<T>(key: string, isValid: (value: unknown) => value is T): StoredValue<T> {
  const listeners = new Set<() => void>();
  let memory: string | null = null;
  let parsed: { text: string | null; value: T | undefined } = { text: null, value: undefined };

  function readText(): string | null {
    try {
      return localStorage.getItem(key);
    } catch {
      return memory;
    }
  }

  function writeText(text: string | null): void {
    memory = text;
    try {
      if (text === null) localStorage.removeItem(key);
      else localStorage.setItem(key, text);
    } catch {
      // Storage is full or forbidden; this page uses the value in memory.
    }
  }

  return {
    get() {
      const text = readText();
      // useSyncExternalStore needs the same object for the same text.
      if (parsed.text !== text) parsed = { text, value: parse(text, isValid) };
      return parsed.value;
    },
    set(value) {
      writeText(value === undefined ? null : JSON.stringify(value));
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      const onStorage = (event: StorageEvent) => {
        if (event.key === key || event.key === null) listener();
      };
      listeners.add(listener);
      globalThis.addEventListener('storage', onStorage);
      return () => {
        listeners.delete(listener);
        globalThis.removeEventListener('storage', onStorage);
      };
    },
  };
}

function parse<T>(text: string | null, isValid: (value: unknown) => value is T): T | undefined {
  if (text === null) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isValid(value) ? value : undefined;
  } catch {
    return undefined; // Something else wrote under our key.
  }
}
