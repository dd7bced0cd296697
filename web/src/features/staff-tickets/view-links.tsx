import type { TicketView } from '@cellhop/contract/staff/tickets';
import { LISTED_ROWS_MAX } from '@cellhop/contract/limits';
import { ticketViews } from '@cellhop/contract/staff/tickets.values';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { formatCount } from '../../format/format.ts';
import { useViewCounts } from './api.ts';
import { type StaffTicketsSearch, staffTicketsSearch } from './screen.ts';
import classes from './tickets-page.module.css';

/** The saved views, each with the number of its tickets of all users. A filter stays when the view changes. */
export function ViewLinks({ view, search }: { view: TicketView; search: StaffTicketsSearch }) {
  const { t } = useTranslation('staffSupport');
  const counts: Partial<Record<TicketView, number>> | undefined = useViewCounts();
  return (
    <nav className={classes['views']} aria-label={t('views.label')}>
      <ul>
        {ticketViews.map((each) => (
          <li key={each}>
            <Link
              to="/admin/tickets"
              search={each === view ? search : staffTicketsSearch({ ...search, page: undefined, view: each })}
              // Marks the current view with aria-current, whatever the filter and the page.
              activeOptions={{ exact: true, includeSearch: true }}
            >
              {t(`views.${each}`)}
              <Count count={counts?.[each]} />
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Larger numbers are not counted. */
function Count({ count }: { count: number | undefined }) {
  if (count === undefined) return null;
  return <span>{count >= LISTED_ROWS_MAX ? `${formatCount(LISTED_ROWS_MAX)}+` : formatCount(count)}</span>;
}
