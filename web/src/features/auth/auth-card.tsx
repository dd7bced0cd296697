import { IconAlertCircle } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
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

/** `onClick`: for a link to the current page, which returns to its form. */
interface AuthLinkProps {
  onClick?: () => void;
}

export function SignInLink(props: AuthLinkProps) {
  const { t } = useTranslation('auth');
  return (
    <Link to="/sign-in" {...props}>
      {t('toSignIn')}
    </Link>
  );
}

export function SignUpLink() {
  const { t } = useTranslation('auth');
  return <Link to="/sign-up">{t('toSignUp')}</Link>;
}

export function RestoreLink() {
  const { t } = useTranslation('auth');
  return <Link to="/restore-access">{t('toRestore')}</Link>;
}
