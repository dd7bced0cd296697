import { LandingPage } from '../../features/landing/landing-page.tsx';
import { Switchers } from '../layout/switchers.tsx';

export function LandingScreen() {
  return <LandingPage switchers={<Switchers />} />;
}
