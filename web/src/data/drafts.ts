/**
 * Form input that was not sent yet. Kept in this tab only, so that an expired session or a reload does not lose it.
 * Removed when the tab is closed or the user signs out.
 */

const PREFIX = 'draft:';

export interface Draft<T> {
  read: () => T | undefined;
  write: (value: T | undefined) => void;
}

/** @param owner id of the user: another user of the same tab must not see the draft */
export function createDraft<T>(owner: string, name: string, isValid: (value: unknown) => value is T): Draft<T> {
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
        // Storage is full or forbidden: the draft is lost with the session.
      }
    },
  };
}

export function removeDrafts(): void {
  try {
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
  } catch {
    // Without storage there are no drafts.
  }
}
