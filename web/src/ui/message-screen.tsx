import type { ReactNode } from 'react';
import { IconHexagon } from '@tabler/icons-react';
import classes from './plain.module.css';

interface MessageScreenProps {
  title: string;
  text?: string | undefined;
  children: ReactNode;
}

/** One message in the middle of the screen, and one thing to do. */
export function MessageScreen({ title, text, children }: MessageScreenProps) {
  return (
    <main className={classes['screen']}>
      <div className={classes['message']}>
        <IconHexagon className={classes['mark']} size={44} stroke={1.3} aria-hidden="true" />
        <h1>{title}</h1>
        {text !== undefined && <p>{text}</p>}
        {children}
      </div>
    </main>
  );
}
