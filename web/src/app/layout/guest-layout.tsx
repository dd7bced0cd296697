import { Outlet, useRouter } from '@tanstack/react-router';
import { useEffect, useSyncExternalStore } from 'react';
import { useSettings } from '../../lib/settings.ts';
import { hasTokens, tokens } from '../../lib/tokens.ts';
import { FullScreenSpinner } from '../../ui/spinner.tsx';
import { Logo } from '../../ui/logo.tsx';
import classes from './guest-layout.module.css';
import { Switchers } from './switchers.tsx';

/** Layout of visitors' pages. Once there are tokens, from this tab or another, the route's guard redirects. */
export function GuestLayout() {
  const { brandName } = useSettings();
  const isSignedIn = useSyncExternalStore(tokens.subscribe, hasTokens);
  const router = useRouter();
  useEffect(() => {
    if (isSignedIn) void router.invalidate();
  }, [isSignedIn, router]);
  if (isSignedIn) return <FullScreenSpinner />;
  return (
    <div className={classes['page']}>
      <header className={classes['header']}>
        <a href="/" className={classes['home']}>
          <Logo name={brandName} />
        </a>
        <Switchers />
      </header>
      <main className={classes['main']}>
        <div className={classes['card']}>
          <Outlet />
        </div>
      </main>
    </div>
  );
}
