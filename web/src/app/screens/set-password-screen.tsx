import { getRouteApi, useLocation } from '@tanstack/react-router';
import { SetPasswordPage } from '../../features/auth/set-password-page.tsx';

const route = getRouteApi('/guests/restore-access/set-password');

export function SetPasswordScreen() {
  const { code } = route.useSearch();
  const { hash } = useLocation();
  return <SetPasswordPage code={code ?? ''} email={hash} />;
}
