/** Filters of staff's lists that a member of staff has named. They stay in the browser, for all tabs of this user, until they sign out. */
import { useSyncExternalStore } from 'react';
import { SAVED_FILTERS_KEY } from '../../data/drafts.ts';
import { useProfile } from '../../session/profile.ts';
import { storedValue } from '../../session/stored-value.ts';

export type FilteredList = 'users' | 'invoices' | 'connections';

interface SavedFilter {
  name: string;
  /** Parameters of the URL, which the screen checks again. */
  search: Record<string, unknown>;
}

interface StoredFilter extends SavedFilter {
  userId: string;
  list: string;
}

/** Of each list. */
const SAVED_MAX = 20;

const stored = storedValue<StoredFilter[]>(SAVED_FILTERS_KEY, isStored);

function isStored(value: unknown): value is StoredFilter[] {
  return (
    Array.isArray(value) &&
    value.every((each: Partial<StoredFilter> | null) => {
      if (typeof each !== 'object' || each === null) return false;
      const { userId, list, name, search } = each;
      const areTexts = [userId, list, name].every((text) => typeof text === 'string');
      return areTexts && typeof search === 'object' && search !== null;
    })
  );
}

interface SavedFilters {
  saved: readonly SavedFilter[];
  /** Replaces one with the same name. Beyond the limit the oldest are deleted. */
  save: (filter: SavedFilter) => void;
  remove: (name: string) => void;
}

export function useSavedFilters(list: FilteredList): SavedFilters {
  const all = useSyncExternalStore(stored.subscribe, stored.get) ?? [];
  const userId = useProfile()?.id ?? '';
  const isOwn = (each: StoredFilter) => each.userId === userId && each.list === list;
  const own = all.filter(isOwn);
  const write = (next: readonly SavedFilter[]) =>
    stored.set([
      ...all.filter((each) => !isOwn(each)),
      ...next.slice(-SAVED_MAX).map(({ name, search }) => ({ userId, list, name, search })),
    ]);
  const others = (name: string) => own.filter((each) => each.name !== name);
  return {
    saved: own,
    save: (filter) => write([...others(filter.name), filter]),
    remove: (name) => write(others(name)),
  };
}
