import { Outlet } from '@tanstack/react-router';
import { Suspense } from 'react';
import { useDocumentColorScheme } from '../lib/theme.ts';
import { FullScreenSpinner } from '../ui/spinner.tsx';
import { ToastRegion } from '../ui/toast-region.tsx';

export function RootLayout() {
  useDocumentColorScheme();
  return (
    <>
      <Suspense fallback={<FullScreenSpinner />}>
        <Outlet />
      </Suspense>
      <ToastRegion />
    </>
  );
}
