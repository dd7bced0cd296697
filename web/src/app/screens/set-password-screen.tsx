import { getRouteApi, Navigate } from '@tanstack/react-router';
import { useState } from 'react';
import { SetPasswordPage } from '../../features/auth/set-password-page.tsx';

const route = getRouteApi('/visitors/restore-access/set-password');

export function SetPasswordScreen() {
  const { code } = route.useSearch();
  // Of the first render: links inside the page have no fragment.
  const [email] = useState(() => new URLSearchParams(location.hash.slice(1)).get('email') ?? '');
  if (code === undefined) return <Navigate to="/sign-in" replace />;
  return <SetPasswordPage code={code} email={email} />;
}
