import { Link, Outlet } from '@tanstack/react-router';
import { useSettings } from '../../lib/settings.ts';
import { Logo } from '../../ui/logo.tsx';
import classes from './guest-layout.module.css';
import { Switchers } from './switchers.tsx';

export function GuestLayout() {
  const { brandName } = useSettings();
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
