import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import '../../i18n/staff-texts.ts';
import { SearchDialog } from '../../features/staff-search/search-dialog.tsx';
import { IconButton } from '../../ui/icon-button.tsx';

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
