import type { FaqEntry, FaqText } from '@cellhop/contract/staff/faq';
import { ActionIcon } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconPencil, IconTrash } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { type Language, languages } from '../../i18n/languages.ts';
import { destructive } from '../../ui/destructive.ts';
import classes from './faq-page.module.css';

interface EntryCardProps {
  entry: FaqEntry;
  /** Undefined for what the member of staff may not do. */
  onMove: ((direction: 'UP' | 'DOWN') => void) | undefined;
  onEdit: (() => void) | undefined;
  onDelete: (() => void) | undefined;
  isFirst: boolean;
  isLast: boolean;
}

/** Both languages of an entry side by side. */
export function EntryCard({ entry, onMove, onEdit, onDelete, isFirst, isLast }: EntryCardProps) {
  const { t } = useTranslation('staffContent');
  const name = entryName(entry);
  return (
    <li className={classes['entry']}>
      <EntryTexts texts={entry.texts} />
      <div className={classes['actions']}>
        {onMove && (
          <>
            <EntryButton
              label={t('faq.moveUp', { name })}
              Icon={IconArrowUp}
              isDisabled={isFirst}
              onClick={() => onMove('UP')}
            />
            <EntryButton
              label={t('faq.moveDown', { name })}
              Icon={IconArrowDown}
              isDisabled={isLast}
              onClick={() => onMove('DOWN')}
            />
          </>
        )}
        {onEdit && <EntryButton label={t('faq.edit', { name })} Icon={IconPencil} onClick={onEdit} />}
        {onDelete && (
          <EntryButton label={t('faq.delete', { name })} Icon={IconTrash} isDestructive onClick={onDelete} />
        )}
      </div>
    </li>
  );
}

/** The question that identifies an entry in messages. */
export function entryName({ texts }: FaqEntry): string {
  return (texts.en ?? texts.ru)?.question ?? '';
}

export function EntryTexts({ texts }: { texts: FaqEntry['texts'] }) {
  return (
    <div className={classes['texts']}>
      {languages.map((language) => (
        <EntryText key={language} language={language} text={texts[language]} />
      ))}
    </div>
  );
}

function EntryText({ language, text }: { language: Language; text: FaqText | null }) {
  const { t } = useTranslation(['staffContent', 'common']);
  return (
    <div className={classes['text']}>
      <span className={classes['language']}>{t(`common:languages.${language}`)}</span>
      {text === null ? (
        <p className={classes['missing']}>{t('faq.missing')}</p>
      ) : (
        <div lang={language}>
          <h2>{text.question}</h2>
          <p className={classes['response']}>{text.response}</p>
        </div>
      )}
    </div>
  );
}

interface EntryButtonProps {
  label: string;
  Icon: typeof IconArrowUp;
  isDisabled?: boolean;
  isDestructive?: boolean;
  onClick: () => void;
}

/** It stays in the tab order while disabled, so that the focus is not lost at the ends of the list. */
function EntryButton({ label, Icon, isDisabled = false, isDestructive = false, onClick }: EntryButtonProps) {
  return (
    <ActionIcon
      variant="subtle"
      color={isDestructive ? destructive.opens.color : 'gray'}
      size="lg"
      aria-label={label}
      aria-disabled={isDisabled}
      data-disabled={isDisabled}
      onClick={() => !isDisabled && onClick()}
    >
      <Icon size={18} stroke={1.6} aria-hidden="true" />
    </ActionIcon>
  );
}
