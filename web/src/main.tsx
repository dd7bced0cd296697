import './app/global.css';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode, startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { router } from './app/router.tsx';
import { startTranslations } from './i18n/setup.ts';
import { watchStyles } from './lib/late-styles.ts';
import { reportError, watchErrors } from './lib/report-error.ts';

const root = document.querySelector('#root');
if (root === null) throw new Error('index.html has no #root');

watchStyles();
watchErrors();
await startTranslations();
// A transition is rendered piece by piece.
startTransition(() =>
  createRoot(root, { onCaughtError }).render(
    <StrictMode>
      <RouterProvider router={router} />
    </StrictMode>,
  ),
);

/** What a boundary has caught; the rest reaches the page's own listeners. */
function onCaughtError(error: unknown): void {
  console.error(error);
  reportError(error);
}
