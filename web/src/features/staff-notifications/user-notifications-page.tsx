import { Button, Skeleton, Stack } from '@mantine/core';
import { useState } from 'react';
import { useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useDocumentTitle } from '../../hooks/use-document-title.ts';
import { useSchemaForm } from '../../hooks/use-schema-form.ts';
import { useScreenParams, useScreenSearch } from '../../loading/use-screen.ts';
import { StaffBreadcrumbs } from '../staff-parts/staff-breadcrumbs.tsx';
import { CreateButton } from '../../ui/create-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { EmptyList } from '../../ui/list-state.tsx';
import { PagedList } from '../../ui/paged-list.tsx';
import { NotificationItem } from '../notifications/notifications-list.tsx';
import { ListHead } from '../staff-parts/list-head.tsx';
import { usePermission } from '../staff-parts/use-permission.ts';
import { UserTabs } from '../staff-parts/user-tabs.tsx';
import { useNotifyUser, useUserNotifications } from './api.ts';
import { emptyNotification, notificationForm } from './broadcast-form.ts';
import { NotificationFields } from './notification-fields.tsx';
import { userNotificationsScreen } from './screen.ts';
import classes from './staff-notifications.module.css';

/** The notifications of one user as they see them, and the dialog that sends one. Unread ones are marked as new. */
export function UserNotificationsPage() {
  const { userId } = useScreenParams(userNotificationsScreen);
  const [{ page = 1 }, change] = useScreenSearch(userNotificationsScreen);
  const { t } = useTranslation('staffContent');
  const notifications = useUserNotifications(userId, page);
  const canSend = usePermission('NOTIFICATIONS_WRITE');
  const canReadUsers = usePermission('USERS_READ');
  const [isCreating, setCreating] = useState(false);
  useDocumentTitle(t('notifications.title'));
  return (
    <>
      <StaffBreadcrumbs
        to={canReadUsers ? '/admin/users' : undefined}
        items={[{ label: notifications.user?.email ?? '…' }, { label: t('notifications.title') }]}
      />
      {canReadUsers && <UserTabs userId={userId} current="notifications" />}
      {canSend && (
        <ListHead actions={<CreateButton text={t('notifications.create')} onClick={() => setCreating(true)} />} />
      )}
      <PagedList
        list={notifications}
        page={page}
        onPage={(chosen) => change({ page: chosen })}
        failureText={t('notifications.failed')}
        empty={<EmptyList text={t('notifications.empty')} />}
      >
        {(rows) =>
          rows === undefined ? (
            <Skeleton height={200} aria-busy="true" />
          ) : (
            <ul className={classes['list']} aria-label={t('notifications.label')}>
              {rows.map((row) => (
                <NotificationItem key={row.id} notification={row} isFresh={!row.isRead} onLeave={undefined} />
              ))}
            </ul>
          )
        }
      </PagedList>
      <Dialog isOpen={isCreating} title={t('notifications.create')} onClose={() => setCreating(false)}>
        <NotifyForm userId={userId} onSent={() => setCreating(false)} />
      </Dialog>
    </>
  );
}

function NotifyForm({ userId, onSent }: { userId: string; onSent: () => void }) {
  const { t } = useTranslation('staffContent');
  const sending = useNotifyUser(userId);
  const form = useSchemaForm(notificationForm, emptyNotification);
  const values = useWatch({ control: form.control });
  const submit = form.handleSubmit(async (text) => {
    if ((await sending.run(text)) !== undefined) onSent();
  });
  return (
    <form noValidate onSubmit={(event) => void submit(event)}>
      <Stack>
        <p className={classes['hint']}>{t('notifications.htmlHint')}</p>
        <NotificationFields
          register={(name) => form.register(name)}
          errors={form.formState.errors}
          values={values}
          hasFirstFocus
        />
        <Button type="submit" loading={sending.isRunning}>
          {t('notifications.submit')}
        </Button>
      </Stack>
    </form>
  );
}
