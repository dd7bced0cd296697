import { type ReactNode, type Ref, useId } from 'react';
import classes from './account-section.module.css';

interface AccountSectionProps {
  /** Fragment for links: `/account#sessions`. */
  anchor: string;
  title: string;
  text: string;
  /** For moving the focus here when a focused button is removed. */
  headingRef?: Ref<HTMLHeadingElement>;
  children: ReactNode;
}

/** Title and description on the left, content in a card on the right. */
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
