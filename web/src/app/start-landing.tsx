/** The landing page is separate from the app: no router, no data. */
import './global.css';
import { StrictMode, startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { watchErrors } from '../data/report-error.ts';
import { loadSettings } from '../data/settings.ts';
import { LandingPage } from '../features/landing/landing-page.tsx';
import { startTranslations } from '../i18n/setup.ts';
import { acceptTranslators } from './translated-page.ts';

export async function startLanding(root: Element): Promise<void> {
  acceptTranslators();
  watchErrors();
  await Promise.all([startTranslations('landing'), loadSettings()]);
  // A transition renders in small steps.
  startTransition(() =>
    createRoot(root).render(
      <StrictMode>
        <LandingPage />
      </StrictMode>,
    ),
  );
}
