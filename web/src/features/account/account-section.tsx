import { type ReactNode, useId } from 'react';
import classes from './account-section.module.css';

interface AccountSectionProps {
  /** What links point at: `/account#sessions`. */
  anchor: string;
  title: string;
  text: string;
  children: ReactNode;
}

/** A name and what it is about on the left, the matter itself in a card on the right. */
export function AccountSection({ anchor, title, text, children }: AccountSectionProps) {
  const id = useId();
  return (
    <section id={anchor} className={classes['section']} aria-labelledby={id}>
      <div className={classes['about']}>
        <h2 id={id}>{title}</h2>
        <p>{text}</p>
      </div>
      <div className={classes['card']}>{children}</div>
    </section>
  );
}
