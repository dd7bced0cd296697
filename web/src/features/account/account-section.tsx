import { type ReactNode, type Ref, useId } from 'react';
import classes from './account-section.module.css';

interface AccountSectionProps {
  /** What links point at: `/account#sessions`. */
  anchor: string;
  title: string;
  text: string;
  /** For giving the focus to when the button that had it is gone. */
  headingRef?: Ref<HTMLHeadingElement>;
  children: ReactNode;
}

/** A name and what it is about on the left, the matter itself in a card on the right. */
export function AccountSection({ anchor, title, text, headingRef, children }: AccountSectionProps) {
  const id = useId();
  return (
    <section id={anchor} className={classes['section']} aria-labelledby={id}>
      <div className={classes['about']}>
        <h2 id={id} ref={headingRef} tabIndex={-1}>
          {title}
        </h2>
        <p>{text}</p>
      </div>
      <div className={classes['card']}>{children}</div>
    </section>
  );
}
