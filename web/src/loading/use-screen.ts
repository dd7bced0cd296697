import { type ResolveParams, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import type { Search } from './search-values.ts';

interface NavigateOptions {
  /** The back button skips the state before the change. */
  replace?: boolean;
  /** False: the page stays where it is. */
  resetScroll?: boolean;
}

interface SearchableScreen<S> {
  path: string;
  search: (search: Search) => S;
}

/**
 * The URL parameters of the screen that is shown, and a function that changes some of them; the others stay. Typed by the
 * screen's declaration, because pages cannot depend on the list of routes. The function never changes, so that rows of
 * tables may depend on it.
 */
export function useScreenSearch<S extends object>({ path, search: validate }: SearchableScreen<S>) {
  // With parameters that the screen does not know: the router keeps all of the URL.
  const all: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const search = useMemo(() => validate(all), [all, validate]);
  const change = useCallback(
    (values: Partial<S>, options: NavigateOptions = {}) =>
      void navigate({
        ...options,
        from: path,
        search: (current: Search) => validate({ ...current, ...values }),
      } as unknown as Parameters<typeof navigate>[0]),
    [navigate, path, validate],
  );
  return [search, change] as const;
}

/** The parameters in the path of the screen that is shown, such as `$userId`. */
export function useScreenParams<const P extends string>(_screen: { path: P }): ResolveParams<P> {
  const all: object = useParams({ strict: false });
  return all as ResolveParams<P>;
}
