import { Drawer } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { SideMenu } from './side-menu.tsx';

interface MenuDrawerProps {
  isOpen: boolean;
  onClose: () => void;
}

export function MenuDrawer({ isOpen, onClose }: MenuDrawerProps) {
  const { t } = useTranslation();
  // The drawer gives the focus back where it was when it opened, and not when it was first drawn.
  const [isDrawnOpen, setDrawnOpen] = useState(false);
  // oxlint-disable-next-line react/set-state-in-effect
  useEffect(() => setDrawnOpen(isOpen), [isOpen]);
  return (
    <Drawer
      opened={isDrawnOpen}
      onClose={onClose}
      size={280}
      title={t('menu.label')}
      closeButtonProps={{ 'aria-label': t('menu.hide') }}
    >
      <SideMenu hasLogo={false} />
    </Drawer>
  );
}
