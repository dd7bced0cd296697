import { IconAlertCircle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useDocumentTitle } from '../../lib/use-document-title.ts';
import classes from './auth-card.module.css';

interface AuthCardProps {
  title: string;
  lead?: string;
  error?: string | undefined;
  children: ReactNode;
  links: ReactNode;
}

/** These pages do without Mantine: they are the first that a visitor loads. */
export function AuthCard({ title, lead, error, children, links }: AuthCardProps) {
  useDocumentTitle(title);
  return (
    <div className={classes['card']}>
      <div>
        <h1>{title}</h1>
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
