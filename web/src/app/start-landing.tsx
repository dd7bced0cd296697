/** The landing page is a page of its own: no router, no data, nothing of the app behind it. */
import './global.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { startTranslations } from '../i18n/setup.ts';
import { watchErrors } from '../lib/report-error.ts';
import { loadSettings } from '../lib/settings.ts';
import { LandingScreen } from './screens/landing-screen.tsx';

export async function startLanding(root: Element): Promise<void> {
  watchErrors();
  await Promise.all([startTranslations('landing'), loadSettings()]);
  createRoot(root).render(
    <StrictMode>
      <LandingScreen />
    </StrictMode>,
  );
}
