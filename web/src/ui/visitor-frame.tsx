import type { ReactNode } from 'react';
import { useSettings } from '../data/settings.ts';
import { Logo } from './logo.tsx';
import { Switchers } from './switchers.tsx';
import classes from './visitor-frame.module.css';

/** The frame of pages outside of the menu: logo, switchers, and a card. */
export function VisitorFrame({ children }: { children: ReactNode }) {
  const { brandName } = useSettings();
  return (
    <div className={classes['page']}>
      <header className={classes['header']}>
        <a href="/" className={classes['home']}>
          <Logo name={brandName} />
        </a>
        <Switchers />
      </header>
      <main className={classes['main']}>
        <div className={classes['card']}>{children}</div>
      </main>
    </div>
  );
}
