import { TICKET_WORDS_LENGTH_MAX } from '@cellhop/contract/limits';
import { ticketStatuses } from '@cellhop/contract/tickets.values';
import { ActionIcon, Select, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { oneOf } from '../../loading/search-values.ts';
import { DayFields } from '../../ui/date-field.tsx';
import { type StaffTicketsSearch, toWords } from './screen.ts';
import classes from './tickets-page.module.css';

interface TicketsFilterProps {
  search: StaffTicketsSearch;
  onFilter: (filter: StaffTicketsSearch) => void;
}

export function TicketsFilter({ search, onFilter }: TicketsFilterProps) {
  const { t } = useTranslation(['staffSupport', 'support']);
  const { view, status, words = '', from = '', to = '' } = search;
  return (
    <section className={classes['filter']} aria-label={t('filter.label')}>
      {/* Another key when the URL changes, by the back button for example. */}
      <WordsField key={words} words={words} onFilter={onFilter} />
      <Select
        label={t('filter.status')}
        placeholder={t('filter.anyStatus')}
        data={ticketStatuses.map((each) => ({ value: each, label: t(`support:statuses.${each}`) }))}
        value={view === undefined ? (status ?? null) : 'OPEN'}
        disabled={view !== undefined}
        clearable
        clearButtonProps={{ 'aria-label': t('filter.anyStatus') }}
        onChange={(chosen) => onFilter({ status: oneOf(chosen, ticketStatuses) })}
      />
      <DayFields
        from={from}
        to={to}
        texts={{ from: t('filter.from'), to: t('filter.to'), reversed: t('filter.reversed') }}
        onChange={(days) => onFilter({ from: days.from || undefined, to: days.to || undefined })}
      />
    </section>
  );
}

interface WordsFieldProps {
  words: string;
  onFilter: TicketsFilterProps['onFilter'];
}

/** Applied by the enter key or the button. */
function WordsField({ words, onFilter }: WordsFieldProps) {
  const { t } = useTranslation('staffSupport');
  const [text, setText] = useState(words);
  const chosen = toWords(text);
  const [isRefused, setRefused] = useState(false);

  function submit(event: FormEvent): void {
    event.preventDefault();
    const isValid = chosen !== undefined || text.trim() === '';
    setRefused(!isValid);
    if (isValid) onFilter({ words: chosen });
  }

  return (
    <search>
      <form onSubmit={submit}>
        <TextInput
          label={t('filter.words')}
          value={text}
          maxLength={TICKET_WORDS_LENGTH_MAX}
          error={isRefused ? t('filter.tooShort') : undefined}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          rightSection={
            <ActionIcon type="submit" variant="subtle" color="gray" aria-label={t('filter.find')}>
              <IconSearch size={18} stroke={1.6} aria-hidden="true" />
            </ActionIcon>
          }
        />
      </form>
    </search>
  );
}
