/**
 * Form input that was not sent yet. Kept in this tab only, so that an expired session or a reload does not lose it.
 * Removed when the tab is closed or the user signs out, in whichever tab.
 */
import { storedValue } from '../session/stored-value.ts';

const PREFIX = 'draft:';
/** Filters that staff have saved, in all tabs (features/staff-parts/stored-filters.ts). */
export const SAVED_FILTERS_KEY = 'staffFilters';

/** Another one after each sign-out in this browser: drafts of before it are not read any more. */
const signOut = storedValue<string>('signOut', (value) => typeof value === 'string');
const currentPrefix = () => `${PREFIX}${signOut.get() ?? ''}:`;

export interface Draft<T> {
  read: () => T | undefined;
  write: (value: T | undefined) => void;
}

/** @param owner id of the user: another user of the same tab must not see the draft */
export function createDraft<T>(owner: string, name: string, isValid: (value: unknown) => value is T): Draft<T> {
  const key = `${currentPrefix()}${owner}:${name}`;
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

/** At sign-out: the next user of a shared machine finds nothing, in no tab. */
export function forgetInput(): void {
  signOut.set(`${Date.now()}.${Math.random()}`);
  removeOldDrafts();
  storedValue(SAVED_FILTERS_KEY, (value): value is undefined => value === undefined).set(undefined);
}

/** Call it when the app starts: another tab may sign out, or has done so while this one was not open. */
export function watchSignOuts(): () => void {
  removeOldDrafts();
  return signOut.subscribe(removeOldDrafts);
}

function removeOldDrafts(): void {
  try {
    for (const key of Object.keys(sessionStorage))
      if (key.startsWith(PREFIX) && !key.startsWith(currentPrefix())) sessionStorage.removeItem(key);
  } catch {
    // Without storage there are no drafts.
  }
}
