import { Drawer } from '@mantine/core';
import { useRouterState } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAsOverlay } from '../../ui/open-overlays.ts';
import { useShown } from '../../ui/mantine-overlays.ts';
import { SideMenu } from './side-menu.tsx';

interface MenuDrawerProps {
  isOpen: boolean;
  onClose: () => void;
}

export function MenuDrawer({ isOpen, onClose }: MenuDrawerProps) {
  const { t } = useTranslation();
  const isShown = useShown(isOpen);
  useAsOverlay('dialog', isShown);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const [openedAt, setOpenedAt] = useState(path);
  useEffect(() => {
    // oxlint-disable-next-line react/set-state-in-effect
    if (isOpen) setOpenedAt(path);
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [isOpen]);
  return (
    <Drawer
      opened={isShown}
      onClose={onClose}
      // After navigation the new page has the focus.
      returnFocus={openedAt === path}
      size={280}
      title={t('menu.label')}
      closeButtonProps={{ 'aria-label': t('menu.hide') }}
    >
      <SideMenu hasLogo={false} />
    </Drawer>
  );
}
