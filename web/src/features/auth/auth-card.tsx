import { IconAlertCircle } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { useDocumentTitle } from '../../hooks/use-document-title.ts';
import classes from './auth-card.module.css';

interface AuthCardProps {
  title: string;
  lead?: string;
  error?: string | undefined;
  /** The card replaced a form: focuses its heading, so that screen readers announce it. */
  isAnnounced?: boolean;
  children: ReactNode;
  links: ReactNode;
}

/** Without Mantine, because these pages are the first that a visitor loads. */
export function AuthCard({ title, lead, error, isAnnounced = false, children, links }: AuthCardProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useDocumentTitle(title);
  useEffect(() => {
    if (isAnnounced) heading.current?.focus();
  }, [isAnnounced]);
  return (
    <div className={classes['card']}>
      <div>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {lead !== undefined && <p className={classes['muted']}>{lead}</p>}
      </div>
      {error !== undefined && (
        <div role="alert" className={classes['alert']}>
          <IconAlertCircle size={20} stroke={1.7} aria-hidden="true" />
          <p>{error}</p>
        </div>
      )}
      {children}
      <div className={classes['links']}>{links}</div>
    </div>
  );
}
