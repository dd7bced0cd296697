import '../../i18n/staff-texts.ts';
import type { Found } from '@cellhop/contract/staff/search';
import { SEARCH_LENGTH_MIN, type FoundKind } from '@cellhop/contract/staff/lists.values';
import { TextInput } from '@mantine/core';
import { useDisclosure, useHotkeys, useDebouncedValue } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { Link, type LinkProps } from '@tanstack/react-router';
import { type KeyboardEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { apiQuery } from '../../data/query.ts';
import { useApiQuery } from '../../data/use-api-query.ts';
import { countryName, formatDate, formatMoney, language } from '../../format/format.ts';
import { DateTimeField } from '../../ui/date-field.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { LoadFailure } from '../../ui/list-state.tsx';
import { addressParameter } from '../staff-parts/address-parameter.ts';
import classes from './search-dialog.module.css';

/** The search of staff in the top bar, also opened by Ctrl+K or Cmd+K from every page. */
export function StaffSearch() {
  const { t } = useTranslation('staff');
  const [isOpen, dialog] = useDisclosure(false);
  // Also while a field has the focus.
  useHotkeys([['mod+K', dialog.open]], []);
  return (
    <>
      <IconButton aria-label={t('search.title')} aria-keyshortcuts="Control+K Meta+K" onClick={dialog.open}>
        <IconSearch size={21} stroke={1.6} aria-hidden="true" />
      </IconButton>
      <SearchDialog isOpen={isOpen} onClose={dialog.close} />
    </>
  );
}

/** Typing pauses are longer. */
const DEBOUNCE_MS = 200;

interface SearchDialogProps {
  isOpen: boolean;
  onClose: () => void;
}

function SearchDialog({ isOpen, onClose }: SearchDialogProps) {
  const { t } = useTranslation('staff');
  return (
    <Dialog isOpen={isOpen} title={t('search.title')} onClose={onClose}>
      {isOpen && <Search onChosen={onClose} />}
    </Dialog>
  );
}

function Search({ onChosen }: { onChosen: () => void }) {
  const { t } = useTranslation('staff');
  const [text, setText] = useState('');
  const [searched] = useDebouncedValue(text, DEBOUNCE_MS);
  const [time, setTime] = useState('');
  const address = addressParameter(searched);
  const { found, failure, isStale } = useSearch(searched, address === undefined ? '' : time);
  const area = useRef<HTMLDivElement>(null);

  /** The arrow keys move between the field and the results. */
  function move(event: KeyboardEvent): void {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const stops = [...(area.current?.querySelectorAll<HTMLElement>('input, a') ?? [])];
    const index = stops.findIndex((stop) => stop === document.activeElement);
    stops[(index + step + stops.length) % stops.length]?.focus();
  }

  return (
    // The keys move the focus between elements that are all in the tab order anyway.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div ref={area} className={classes['search']} onKeyDown={move}>
      <TextInput
        type="search"
        aria-label={t('search.label')}
        description={t('search.hint', { value: SEARCH_LENGTH_MIN })}
        leftSection={<IconSearch size={18} aria-hidden="true" />}
        autoComplete="off"
        spellCheck={false}
        maxLength={200}
        data-autofocus
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      {address !== undefined && (
        <DateTimeField
          label={t('search.at')}
          value={time}
          onChange={(chosen) => chosen !== undefined && setTime(chosen)}
        />
      )}
      {failure !== undefined ? (
        <LoadFailure text={t('search.failed')} {...failure} />
      ) : (
        found !== undefined && <Results found={found} isStale={isStale || searched !== text} onChosen={onChosen} />
      )}
    </div>
  );
}

interface ResultsProps {
  found: readonly Found[];
  isStale: boolean;
  onChosen: () => void;
}

function Results({ found, isStale, onChosen }: ResultsProps) {
  const { t } = useTranslation(['staff', 'payment', 'staffConnections']);
  const name = ({ title, invoice }: Found) =>
    invoice === undefined ? title : `${formatMoney(invoice.amount)}, ${t(`payment:networks.${invoice.currency}`)}`;
  /** Why it was found, its state, and when. */
  function describe({ use, status, period }: Found): string {
    const now = t('staffConnections:holders.now');
    const [from, to] = [period?.from, period?.to].map((at) => (at == null ? now : formatDate(at)));
    return [
      ...(use === undefined ? [] : [t(`search.uses.${use}`)]),
      ...(status === undefined ? [] : [t(`staffConnections:statuses.${status}`)]),
      ...(period === undefined ? [] : [period.from === period.to ? from : `${from} – ${to}`]),
    ].join(' · ');
  }
  return (
    <>
      <output className={classes['count']}>{isStale ? '' : t('search.count', { count: found.length })}</output>
      <ul className={classes['results']} aria-label={t('search.results')} aria-busy={isStale}>
        {found.map((each) => (
          <li key={`${each.kind} ${each.id}`}>
            <Link {...(toLink(each) as LinkProps)} onClick={onChosen}>
              <span className={classes['kind']}>{t(`search.kinds.${each.kind}`)}</span>
              <span className={classes['name']}>{name(each)}</span>
              {[detailOf(each), describe(each)].map(
                (line) =>
                  line !== '' && (
                    <span key={line} className={classes['detail']}>
                      {line}
                    </span>
                  ),
              )}
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}

/** An API of the release before knows the country of a proxy as its code alone. */
function detailOf({ detail, place }: Found): string {
  return place === undefined ? detail : `${countryName(place.countryCode, language())}, ${place.city}`;
}

/** @param text shorter ones are not searched for @param time in the time zone of the browser; '' for any */
function useSearch(text: string, time: string) {
  const isEnabled = text.trim().length >= SEARCH_LENGTH_MIN;
  const { response, failure, isPrevious } = useApiQuery(
    apiQuery('GET /v1/search/admin', { query: { text, ...(time !== '' && { at: new Date(time).toISOString() }) } }),
    {
      isEnabled,
      keepsPrevious: true,
    },
  );
  return { found: isEnabled ? response?.data : undefined, failure, isStale: isPrevious };
}

interface FoundLink {
  to: string;
  search?: Record<string, string>;
}

const links: Record<FoundKind, (found: Found) => FoundLink> = {
  USER: ({ id }) => ({ to: `/admin/users/${id}` }),
  CONNECTION: ({ id }) => ({ to: '/admin/connections', search: { id } }),
  PROXY: ({ title }) => ({ to: '/admin/proxies', search: { ip: title } }),
  INVOICE: ({ id }) => ({ to: '/admin/payment/invoices', search: { invoice: id } }),
  PROMO_CODE: ({ title }) => ({ to: '/admin/referral-system/codes', search: { code: title } }),
  TICKET: ({ id }) => ({ to: `/admin/tickets/${id}` }),
};

/** Where a search result is shown. */
function toLink(found: Found): FoundLink {
  return links[found.kind](found);
}
