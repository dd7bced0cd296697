import { Outlet, useRouter } from '@tanstack/react-router';
import { Suspense, useEffect } from 'react';
import { useDocumentColorScheme } from '../ui/color-scheme.ts';
import { FullScreenSpinner } from '../ui/spinner.tsx';
import { ToastRegion } from '../ui/toast-region.tsx';
import { focusPageOnNavigation, restoreLostFocus } from './page-focus.ts';
import { useScrollRestoration } from './use-scroll-restoration.ts';

export function RootLayout() {
  useDocumentColorScheme();
  const router = useRouter();
  useEffect(() => focusPageOnNavigation(router), [router]);
  useEffect(restoreLostFocus, []);
  useScrollRestoration();
  return (
    <>
      <Suspense fallback={<FullScreenSpinner />}>
        <Outlet />
      </Suspense>
      <ToastRegion />
    </>
  );
}
