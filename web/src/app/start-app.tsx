import '../data/zod-settings.ts';
import './global.css';
import './print.css';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode, startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { watchSignOuts } from '../data/drafts.ts';
import { startTranslations } from '../i18n/setup.ts';
import { watchStylesheets } from '../loading/failed-stylesheets.ts';
import { reportError, watchErrors } from '../data/report-error.ts';
import { router } from './router.ts';
import { acceptTranslators } from './translated-page.ts';

export async function startApp(root: Element): Promise<void> {
  acceptTranslators();
  watchStylesheets();
  watchErrors();
  watchSignOuts();
  await startTranslations();
  // A transition renders in small steps.
  startTransition(() =>
    createRoot(root, { onCaughtError }).render(
      <StrictMode>
        <RouterProvider router={router} />
      </StrictMode>,
    ),
  );
}

/** For errors that an error boundary has caught; `watchErrors` reports the others. Exported for tests. */
export function onCaughtError(error: unknown): void {
  console.error(error);
  reportError(error);
}
