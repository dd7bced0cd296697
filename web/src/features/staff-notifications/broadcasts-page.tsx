import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useScreenSearch } from '../../loading/use-screen.ts';
import { EmptyList } from '../../ui/list-state.tsx';
import { PagedList } from '../../ui/paged-list.tsx';
import { usePermission } from '../staff-parts/use-permission.ts';
import { useBroadcasts } from './api.ts';
import { BroadcastDialog } from './broadcast-dialog.tsx';
import { BroadcastsTable } from './broadcasts-table.tsx';
import { broadcastsScreen } from './screen.ts';
import classes from './staff-notifications.module.css';

export function BroadcastsPage() {
  const [{ page = 1 }, change] = useScreenSearch(broadcastsScreen);
  const { t } = useTranslation('staffContent');
  const broadcasts = useBroadcasts(page);
  const canSend = usePermission('MASS_NOTIFICATIONS_WRITE');
  const [isCreating, setCreating] = useState(false);
  return (
    <>
      {canSend && (
        <div className={classes['bar']}>
          <Button leftSection={<IconPlus size={18} aria-hidden="true" />} onClick={() => setCreating(true)}>
            {t('broadcasts.create')}
          </Button>
        </div>
      )}
      <PagedList
        list={broadcasts}
        page={page}
        onPage={(chosen) => change({ page: chosen })}
        failureText={t('broadcasts.failed')}
        empty={<EmptyList text={t('broadcasts.empty')} />}
      >
        {(rows) => <BroadcastsTable broadcasts={rows} />}
      </PagedList>
      <BroadcastDialog isOpen={isCreating} onClose={() => setCreating(false)} />
    </>
  );
}
