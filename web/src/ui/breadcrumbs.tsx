import { Link, type LinkProps } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './breadcrumbs.module.css';

export interface Crumb {
  label: string;
  /** Without it, and at the end, the crumb is plain text. */
  to?: LinkProps['to'] | undefined;
}

export const HOME = '/proxies';

/** Home and the path to this page, which is another one; the middle of a long path is collapsed until the user expands it. */
export function Breadcrumbs({ items }: { items: readonly Crumb[] }) {
  const { t } = useTranslation();
  const [isWhole, setWhole] = useState(false);
  const all: Crumb[] = [{ label: t('home'), to: HOME }, ...items];
  const shown = isWhole ? all : collapse(all);
  return (
    <nav aria-label={t('breadcrumbs')}>
      <ol className={classes['list']}>
        {shown.map((crumb, index) => {
          if (crumb === undefined)
            return (
              <li key="middle">
                <button type="button" aria-label={t('breadcrumbsWhole')} onClick={() => setWhole(true)}>
                  …
                </button>
              </li>
            );
          const { label, to } = crumb;
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

const SHOWN_MAX = 8;

/** Keeps the first and the last of more than eight items; undefined stands for the removed ones. */
export function collapse<Item>(items: readonly Item[]): (Item | undefined)[] {
  return items.length > SHOWN_MAX ? [items[0], undefined, ...items.slice(2 - SHOWN_MAX)] : [...items];
}
