import type { ReactNode } from 'react';
import { useSettings } from '../data/settings.ts';
import { Logo } from './logo.tsx';
import classes from './plain.module.css';

interface MessageScreenProps {
  title: string;
  text?: ReactNode;
  children: ReactNode;
}

/** One message in the middle of the screen, with actions. */
export function MessageScreen({ title, text, children }: MessageScreenProps) {
  const { brandName } = useSettings();
  return (
    <main className={classes['screen']}>
      <div className={classes['message']}>
        <Logo name={brandName} />
        <h1 tabIndex={-1}>{title}</h1>
        {text !== undefined && <p>{text}</p>}
        <div className={classes['actions']}>{children}</div>
      </div>
    </main>
  );
}
