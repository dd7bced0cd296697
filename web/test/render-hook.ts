import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, createElement } from 'react';
import { renderToString } from 'react-dom/server';

/** What a hook gives when its component is drawn for the first time. Without a document nothing is drawn again. */
export function renderHook<T>(useHook: () => T, client?: QueryClient): T {
  const drawn: T[] = [];
  function Component(): ReactNode {
    drawn.push(useHook());
    return null;
  }
  const component = createElement(Component);
  renderToString(client === undefined ? component : createElement(QueryClientProvider, { client }, component));
  return drawn[0]!;
}
