import { LandingPage } from '../../features/landing/landing-page.tsx';
import { useDocumentColorScheme } from '../../ui/color-scheme.ts';
import { Switchers } from '../layout/switchers.tsx';

export function LandingScreen() {
  useDocumentColorScheme();
  return <LandingPage switchers={<Switchers />} />;
}
