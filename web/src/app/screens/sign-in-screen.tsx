import { getRouteApi } from '@tanstack/react-router';
import { SignInPage } from '../../features/auth/sign-in-page.tsx';

const route = getRouteApi('/visitors/sign-in');

export function SignInScreen() {
  const { next } = route.useSearch();
  return <SignInPage isInterrupted={next !== undefined} />;
}
