import { getRouteApi } from '@tanstack/react-router';
import { SetPasswordPage } from '../../features/auth/set-password-page.tsx';

const route = getRouteApi('/guests/restore-access/set-password');

export function SetPasswordScreen() {
  const { code } = route.useSearch();
  return <SetPasswordPage code={code ?? ''} />;
}
