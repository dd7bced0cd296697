import { Link, Navigate, Outlet } from '@tanstack/react-router';
import { useSyncExternalStore } from 'react';
import { useSettings } from '../../lib/settings.ts';
import { hasTokens, tokens } from '../../lib/tokens.ts';
import { Logo } from '../../ui/logo.tsx';
import classes from './guest-layout.module.css';
import { Switchers } from './switchers.tsx';

/** The pages of visitors. Once there are tokens, from this tab or another, the reader is at the proxies. */
export function GuestLayout() {
  const { brandName } = useSettings();
  const isSignedIn = useSyncExternalStore(tokens.subscribe, hasTokens);
  if (isSignedIn) return <Navigate to="/proxies" replace />;
  return (
    <div className={classes['page']}>
      <header className={classes['header']}>
        <Link to="/" className={classes['home']}>
          <Logo name={brandName} />
        </Link>
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
