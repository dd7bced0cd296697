/** The landing page is a page of its own: no router, no data, nothing of the app behind it. */
import './app/global.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { LandingScreen } from './app/screens/landing-screen.tsx';
import { startTranslations } from './i18n/setup.ts';
import { watchErrors } from './lib/report-error.ts';
import { loadSettings } from './lib/settings.ts';

const root = document.querySelector('#root');
if (root === null) throw new Error('landing.html has no #root');

watchErrors();
await Promise.all([startTranslations('landing'), loadSettings()]);
createRoot(root).render(
  <StrictMode>
    <LandingScreen />
  </StrictMode>,
);
