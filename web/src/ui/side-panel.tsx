import { Drawer } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useShown } from './mantine-overlays.ts';
import { useAsOverlay } from './open-overlays.ts';

interface SidePanelProps {
  isOpen: boolean;
  title: string;
  onClose: () => void;
  children: ReactNode;
}

/** A dialog at the side of a list, for the details and actions of one row. On a phone it fills the screen. */
export function SidePanel({ isOpen, title, onClose, children }: SidePanelProps) {
  const { t } = useTranslation();
  useAsOverlay('dialog', isOpen);
  return (
    <Drawer
      opened={useShown(isOpen)}
      onClose={onClose}
      title={title}
      position="right"
      size="min(620px, 100%)"
      padding="lg"
      overlayProps={{ backgroundOpacity: 0.6, blur: 2 }}
      // As a dialog: a click must not miss a button that still moves.
      transitionProps={{ transition: 'fade', duration: 150 }}
      closeButtonProps={{ 'aria-label': t('close') }}
    >
      {children}
    </Drawer>
  );
}
