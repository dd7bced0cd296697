import { Drawer } from '@mantine/core';
import { useRouterState } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAsOverlay } from '../../lib/open-overlays.ts';
import { SideMenu } from './side-menu.tsx';

interface MenuDrawerProps {
  isOpen: boolean;
  onClose: () => void;
}

export function MenuDrawer({ isOpen, onClose }: MenuDrawerProps) {
  const { t } = useTranslation();
  // Opened in an effect: the drawer returns the focus to the element that had it before it opened, not before it
  // mounted.
  const [isDrawnOpen, setDrawnOpen] = useState(false);
  useAsOverlay('dialog', isDrawnOpen);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const [openedAt, setOpenedAt] = useState(path);
  useEffect(() => {
    // oxlint-disable-next-line react/set-state-in-effect
    setDrawnOpen(isOpen);
    if (isOpen) setOpenedAt(path);
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [isOpen]);
  return (
    <Drawer
      opened={isDrawnOpen}
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
