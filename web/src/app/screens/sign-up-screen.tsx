import { getRouteApi } from '@tanstack/react-router';
import { SignUpPage } from '../../features/auth/sign-up-page.tsx';

const route = getRouteApi('/visitors/sign-up');

export function SignUpScreen() {
  const { rc } = route.useSearch();
  return <SignUpPage referralCode={rc ?? ''} />;
}
