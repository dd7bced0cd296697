import { FAQ_ENTRIES_MAX } from '@cellhop/contract/limits';
import type { FaqEntry } from '@cellhop/contract/staff/faq';
import { SegmentedControl, Skeleton, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Language, languages } from '../../i18n/languages.ts';
import { oneOf } from '../../loading/search-values.ts';
import { useScreenSearch } from '../../loading/use-screen.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { CreateButton } from '../../ui/create-button.tsx';
import { EmptyList, LoadFailure } from '../../ui/list-state.tsx';
import { FaqList } from '../faq/faq-page.tsx';
import { ListHead } from '../staff-parts/list-head.tsx';
import { usePermission } from '../staff-parts/use-permission.ts';
import { useRowSnapshot } from '../staff-parts/use-row-snapshot.ts';
import { useDeleteEntry, useFaqEntries, useMoveEntry } from './api.ts';
import { EntryCard, entryName } from './entry-card.tsx';
import { EntryDialog } from './entry-dialog.tsx';
import classes from './faq-page.module.css';
import { staffFaqScreen } from './screen.ts';

/** The value of the control for the entries themselves; the others are languages. */
const ENTRIES = 'entries';

export function StaffFaqPage() {
  const [{ preview }, change] = useScreenSearch(staffFaqScreen);
  const { t } = useTranslation(['staffContent', 'common']);
  const { rows: entries, failure } = useFaqEntries();
  const canCreate = usePermission('FAQ_WRITE');
  const [isCreating, setCreating] = useState(false);
  const isFull = entries !== undefined && entries.length >= FAQ_ENTRIES_MAX;
  if (failure !== undefined) return <LoadFailure text={t('faq.failed')} {...failure} />;
  return (
    <>
      <ListHead
        actions={
          canCreate && <CreateButton text={t('faq.create')} disabled={isFull} onClick={() => setCreating(true)} />
        }
      >
        <SegmentedControl
          aria-label={t('faq.view')}
          value={preview ?? ENTRIES}
          data={[
            { value: ENTRIES, label: t('faq.entries') },
            ...languages.map((language) => ({
              value: language,
              label: t('faq.previewIn', { language: t(`common:languages.${language}`) }),
            })),
          ]}
          onChange={(value) => change({ preview: oneOf(value, languages) })}
        />
      </ListHead>
      {isFull && canCreate && <Text mb="md">{t('faq.full', { count: FAQ_ENTRIES_MAX })}</Text>}
      {entries === undefined ? (
        <Skeleton height={240} aria-busy="true" />
      ) : preview === undefined ? (
        <EntryList entries={entries} />
      ) : (
        <Preview entries={entries} language={preview} />
      )}
      <EntryDialog isOpen={isCreating} entry={undefined} onClose={() => setCreating(false)} />
    </>
  );
}

function EntryList({ entries }: { entries: readonly FaqEntry[] }) {
  const { t } = useTranslation('staffContent');
  const [canEdit, canDelete] = [usePermission('FAQ_EDIT'), usePermission('FAQ_DELETE')];
  const [editing, deleting] = [useRowSnapshot<FaqEntry>(), useRowSnapshot<FaqEntry>()];
  const move = useMoveEntry();
  const removal = useDeleteEntry();
  const current = entries.find(({ id }) => id === editing.shown?.id);
  if (entries.length === 0) return <EmptyList text={t('faq.empty')} />;
  return (
    <>
      <ol className={classes['entries']} aria-label={t('faq.entries')}>
        {entries.map((entry, index) => (
          <EntryCard
            key={entry.id}
            entry={entry}
            isFirst={index === 0}
            isLast={index === entries.length - 1}
            onMove={canEdit ? (direction) => void move.run({ entry, direction }) : undefined}
            onEdit={canEdit ? () => editing.open(entry) : undefined}
            onDelete={canDelete ? () => deleting.open(entry) : undefined}
          />
        ))}
      </ol>
      {editing.shown !== undefined && (
        <EntryDialog isOpen={editing.isOpen} entry={editing.shown} current={current} onClose={editing.close} />
      )}
      <ConfirmDialog
        isOpen={deleting.isOpen}
        title={t('faq.deleteTitle')}
        text={t('faq.deleteText', { name: deleting.shown === undefined ? '' : entryName(deleting.shown) })}
        action={t('faq.deleteAction')}
        isDangerous
        isWorking={removal.isRunning}
        onConfirm={async () => {
          if (deleting.row !== undefined) await removal.run(deleting.row);
          deleting.close();
        }}
        onClose={deleting.close}
      />
    </>
  );
}

/** The FAQ of customers with this language. */
function Preview({ entries, language }: { entries: readonly FaqEntry[]; language: Language }) {
  const { t } = useTranslation('faq');
  const items = entries.flatMap(({ id, texts }) => {
    const text = texts[language];
    return text === null ? [] : [{ id, ...text }];
  });
  if (items.length === 0) return <EmptyList text={t('empty')} />;
  return (
    <div className={classes['preview']} lang={language}>
      <FaqList items={items} />
    </div>
  );
}
