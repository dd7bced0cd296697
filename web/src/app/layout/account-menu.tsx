import { logout } from '@cellhop/contract/auth';
import { ActionIcon, Menu } from '@mantine/core';
import { IconLogout, IconUserCircle } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { forgetDrafts } from '../../lib/drafts.ts';
import { call } from '../../lib/http.ts';
import { tokens } from '../../lib/tokens.ts';
import classes from './top-bar.module.css';

export function AccountMenu({ email }: { email: string }) {
  const { t } = useTranslation();
  const navigate = useNavigate();

  async function logOut() {
    await endSession();
    // Whoever leaves on purpose is not led back to where he was.
    await navigate({ to: '/sign-in', replace: true });
  }

  return (
    <Menu position="bottom-end" width={220} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size={38} aria-label={t('account')}>
          <IconUserCircle size={24} stroke={1.5} aria-hidden="true" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown aria-label={t('account')}>
        <Menu.Label className={classes['email'] ?? ''}>{email}</Menu.Label>
        <Menu.Item leftSection={<IconLogout size={18} stroke={1.6} aria-hidden="true" />} onClick={() => void logOut()}>
          {t('logOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

async function endSession() {
  try {
    await call(logout, {});
  } catch {
    // The reader wants to leave: without the server's answer the session ends by itself, here it ends now.
  }
  forgetDrafts();
  tokens.set(undefined);
}
