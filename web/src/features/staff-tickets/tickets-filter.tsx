import { TICKET_WORDS_LENGTH_MAX } from '@cellhop/contract/limits';
import { ticketStatuses } from '@cellhop/contract/tickets.values';
import { ActionIcon, Select, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { oneOf } from '../../loading/search-values.ts';
import { DayRange, FilterPanel } from '../staff-parts/filter-panel.tsx';
import { shownView, type StaffTicketsSearch, toWords } from './screen.ts';

interface TicketsFilterProps {
  search: StaffTicketsSearch;
  onFilter: (filter: StaffTicketsSearch) => void;
}

export function TicketsFilter({ search, onFilter }: TicketsFilterProps) {
  const { t } = useTranslation(['staffSupport', 'support']);
  const { status, words = '' } = search;
  const hasAll = shownView(search) === 'all';
  return (
    <FilterPanel
      filter={{ words: search.words, status, from: search.from, to: search.to }}
      onReset={(nothing) => onFilter(nothing)}
    >
      {/* Another key when the URL changes, by the back button for example. */}
      <WordsField key={words} words={words} onFilter={onFilter} />
      <Select
        label={t('filter.status')}
        placeholder={t('filter.anyStatus')}
        data={ticketStatuses.map((each) => ({ value: each, label: t(`support:statuses.${each}`) }))}
        value={hasAll ? (status ?? null) : 'OPEN'}
        disabled={!hasAll}
        clearable
        clearButtonProps={{ 'aria-label': t('filter.anyStatus') }}
        onChange={(chosen) => onFilter({ status: oneOf(chosen, ticketStatuses) })}
      />
      <DayRange days={search} onChange={onFilter} />
    </FilterPanel>
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
