import { Link, type LinkProps } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import classes from './breadcrumbs.module.css';

export interface Crumb {
  label: string;
  /** Without it, and at the end, the crumb is plain text. */
  to?: LinkProps['to'];
}

const SHOWN_MAX = 8;

/** Home, then the way to this page; a longer way than eight loses its middle. */
export function Breadcrumbs({ items }: { items: readonly Crumb[] }) {
  const { t } = useTranslation();
  const all: Crumb[] = [{ label: t('home'), to: '/proxies' }, ...items];
  const shown = all.length > SHOWN_MAX ? [...all.slice(0, 1), { label: '…' }, ...all.slice(2 - SHOWN_MAX)] : all;
  return (
    <nav aria-label={t('breadcrumbs')}>
      <ol className={classes['list']}>
        {shown.map(({ label, to }, index) => {
          const isLast = index === shown.length - 1;
          return (
            <li key={`${label}:${to ?? ''}`} aria-current={isLast ? 'page' : undefined}>
              {to === undefined || isLast ? label : <Link to={to}>{label}</Link>}
            </li>
          );
        })}
      </ol>
    </nav>
  );
}
