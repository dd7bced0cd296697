import { ActionIcon, Button, Group, Stack, TextInput } from '@mantine/core';
import { IconBookmark, IconX } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Dialog } from '../../ui/dialog.tsx';
import classes from './saved-filters.module.css';
import { type FilteredList, useSavedFilters } from './stored-filters.ts';

/** Of a name for a saved filter, so that it fits on a button. */
const NAME_LENGTH_MAX = 40;

interface SavedFiltersProps {
  list: FilteredList;
  /** The current filter; without any value there is nothing to save. */
  filter: Record<string, unknown>;
  onApply: (search: Record<string, unknown>) => void;
}

/** A button for each filter that the member of staff has saved, and one that saves the current filter. */
export function SavedFilters({ list, filter, onApply }: SavedFiltersProps) {
  const { t } = useTranslation('staff');
  const { saved, save, remove } = useSavedFilters(list);
  const [isNaming, setNaming] = useState(false);
  const given = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
  if (saved.length === 0 && Object.keys(given).length === 0) return null;
  return (
    <section className={classes['saved']} aria-label={t('tools.saved')}>
      {saved.map(({ name, search }) => (
        <span key={name} className={classes['filter']}>
          <Button variant="default" size="compact-md" onClick={() => onApply(search)}>
            {name}
          </Button>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('tools.forget', { name })}
            onClick={() => remove(name)}
          >
            <IconX size={16} stroke={1.6} aria-hidden="true" />
          </ActionIcon>
        </span>
      ))}
      {Object.keys(given).length > 0 && (
        <Button
          variant="default"
          size="compact-md"
          leftSection={<IconBookmark size={16} stroke={1.6} aria-hidden="true" />}
          onClick={() => setNaming(true)}
        >
          {t('tools.save')}
        </Button>
      )}
      <Dialog isOpen={isNaming} title={t('tools.save')} size="sm" isBrief onClose={() => setNaming(false)}>
        {isNaming && (
          <NameForm
            onSave={(name) => {
              save({ name, search: given });
              setNaming(false);
            }}
            onClose={() => setNaming(false)}
          />
        )}
      </Dialog>
    </section>
  );
}

function NameForm({ onSave, onClose }: { onSave: (name: string) => void; onClose: () => void }) {
  const { t } = useTranslation(['staff', 'common']);
  const [name, setName] = useState('');

  function submit(event: FormEvent): void {
    event.preventDefault();
    onSave(name.trim());
  }

  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label={t('tools.name')}
          description={t('tools.nameHint')}
          value={name}
          maxLength={NAME_LENGTH_MAX}
          required
          data-autofocus
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('common:cancel')}
          </Button>
          <Button type="submit" disabled={name.trim() === ''}>
            {t('tools.save')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
