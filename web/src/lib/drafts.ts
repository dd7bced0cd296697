/**
 * What somebody has typed and not sent yet. Kept for this tab alone, so that a lost session or a reload costs nobody his
 * words; it ends with the tab, and when he signs out.
 */

const PREFIX = 'draft:';

export interface Draft<T> {
  read: () => T | undefined;
  write: (value: T | undefined) => void;
}

/** @param owner whose draft it is: another user of the same tab must not find it */
export function draftOf<T>(owner: string, name: string, isValid: (value: unknown) => value is T): Draft<T> {
  const key = `${PREFIX}${owner}:${name}`;
  return {
    read() {
      try {
        const value: unknown = JSON.parse(sessionStorage.getItem(key) ?? 'null');
        return isValid(value) ? value : undefined;
      } catch {
        return undefined; // Storage is forbidden, or something else wrote under our key.
      }
    },
    write(value) {
      try {
        if (value === undefined) sessionStorage.removeItem(key);
        else sessionStorage.setItem(key, JSON.stringify(value));
      } catch {
        // Storage is full or forbidden: then a lost session loses the words too.
      }
    },
  };
}

export function forgetDrafts(): void {
  try {
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
  } catch {
    // Where storage is forbidden there is nothing to forget.
  }
}
