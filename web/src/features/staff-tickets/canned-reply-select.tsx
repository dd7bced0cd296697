import type { LanguageCode } from '@cellhop/contract/schemas';
import { Select } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useCannedReplies } from './canned-replies-api.ts';
import classes from './ticket-page.module.css';

interface CannedReplySelectProps {
  /** The language of the customer. */
  languageCode: LanguageCode;
  onChoose: (text: string) => void;
}

/** A select that inserts a prepared text and keeps no selection. */
export function CannedReplySelect({ languageCode, onChoose }: CannedReplySelectProps) {
  const { t } = useTranslation('staffSupport');
  const { rows: replies = [] } = useCannedReplies();
  if (replies.length === 0) return <span />;

  function choose(id: string | null): void {
    const reply = replies.find((each) => each.id === id);
    if (reply !== undefined) onChoose(languageCode === 'ru' ? reply.contentRu : reply.contentEn);
  }

  return (
    <Select
      className={classes['canned'] ?? ''}
      aria-label={t('replies.insert')}
      placeholder={t('replies.insert')}
      data={replies.map(({ id, title }) => ({ value: id, label: title }))}
      value={null}
      searchable
      nothingFoundMessage={t('replies.unknown')}
      onChange={choose}
    />
  );
}
