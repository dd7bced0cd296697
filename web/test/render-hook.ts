import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, createElement } from 'react';
import { renderToString } from 'react-dom/server';

/** The result of a hook in the first render of a component. Without a document there are no further renders. */
export function renderHook<T>(useHook: () => T, client?: QueryClient): T {
  const results: T[] = [];
  function Component(): ReactNode {
    results.push(useHook());
    return null;
  }
  const component = createElement(Component);
  renderToString(client === undefined ? component : createElement(QueryClientProvider, { client }, component));
  return results[0]!;
}
