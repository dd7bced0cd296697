import './app/global.css';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode, startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { router } from './app/router.tsx';
import { startTranslations } from './i18n/setup.ts';
import { watchStyles } from './lib/late-styles.ts';

const root = document.querySelector('#root');
if (root === null) throw new Error('index.html has no #root');

watchStyles();
await startTranslations();
// A transition is rendered piece by piece.
startTransition(() =>
  createRoot(root).render(
    <StrictMode>
      <RouterProvider router={router} />
    </StrictMode>,
  ),
);
