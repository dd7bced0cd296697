import type { jsx as Jsx } from 'react/jsx-runtime';

/**
 * Pages run on the React that users get. Its development build takes twice the processor time, and is the only one with `act`, so
 * Testing Library gets a simple one. Other packages keep what `NODE_ENV` says.
 */
const { NODE_ENV } = process.env;
process.env['NODE_ENV'] = 'production';
const { default: React } = await import('react');
const { flushSync } = await import('react-dom');
await import('react-dom/client');
const { jsx } = await import('react/jsx-runtime');
// Vite compiles tests for the development build.
const development = (await import('react/jsx-dev-runtime')) as unknown as { default: { jsxDEV: typeof Jsx } };
development.default.jsxDEV = jsx;
process.env['NODE_ENV'] = NODE_ENV;

/** React renders what the task has changed before this returns, as after the event of a browser. */
function act<T>(task: () => T): T {
  let result!: T;
  flushSync(() => {
    result = task();
  });
  return result;
}
Object.assign(React, { act });
