import { Button, Group, Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { ReactNode } from 'react';
import { Dialog } from '../../ui/dialog.tsx';
import classes from './bulk-dialog.module.css';
import { ReasonForm, type ReasonFormProps } from './reason-dialog.tsx';

/** One of the things that an action changes. */
interface BulkItem {
  key: string;
  name: string;
  /** Such as the balance. */
  detail: ReactNode;
  /** Why it was not changed; undefined before the action, and if it was. */
  refusal?: string | undefined;
}

interface BulkDialogProps extends Omit<ReasonFormProps, 'text'> {
  isOpen: boolean;
  title: string;
  text: string;
  items: readonly BulkItem[];
}

/** Shows what an action would change, asks for one reason, and afterwards shows what was refused. */
export function BulkDialog({ isOpen, title, text, items, ...form }: BulkDialogProps) {
  const { t } = useTranslation(['staff', 'common']);
  const refused = items.filter(({ refusal }) => refusal !== undefined);
  return (
    <Dialog isOpen={isOpen} title={title} onClose={form.onClose}>
      {isOpen &&
        (refused.length > 0 ? (
          <Stack>
            <p role="alert">{t('selection.refused', { count: refused.length })}</p>
            <ItemList items={refused} />
            <Group justify="flex-end">
              <Button variant="default" onClick={form.onClose}>
                {t('common:close')}
              </Button>
            </Group>
          </Stack>
        ) : (
          <ReasonForm
            {...form}
            text={
              <Stack>
                <p>{text}</p>
                <ItemList items={items} />
              </Stack>
            }
          />
        ))}
    </Dialog>
  );
}

function ItemList({ items }: { items: readonly BulkItem[] }) {
  const { t } = useTranslation('staff');
  return (
    // It scrolls, so it must be reachable by keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <ul className={classes['items']} aria-label={t('selection.label')} tabIndex={0}>
      {items.map(({ key, name, detail, refusal }) => (
        <li key={key}>
          <span>{name}</span>
          <span>{refusal ?? detail}</span>
        </li>
      ))}
    </ul>
  );
}
