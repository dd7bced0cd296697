import { Outlet, useRouter } from '@tanstack/react-router';
import { Suspense, useEffect } from 'react';
import { useDocumentColorScheme } from '../lib/theme.ts';
import { FullScreenSpinner } from '../ui/spinner.tsx';
import { ToastRegion } from '../ui/toast-region.tsx';
import { followWithFocus, keepFocus } from './page-focus.ts';
import { useScrollRestoration } from './use-scroll-restoration.ts';

export function RootLayout() {
  useDocumentColorScheme();
  const router = useRouter();
  useEffect(() => followWithFocus(router), [router]);
  useEffect(keepFocus, []);
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
