import { Modal } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useAsOverlay } from './open-overlays.ts';
import { PHONE_SCREEN } from './breakpoints.ts';
import { useShown } from './mantine-overlays.ts';

interface DialogProps {
  isOpen: boolean;
  title: string;
  size?: 'sm' | 'md' | 'lg';
  /** Closes only by its own buttons: a stray click must not hide what is shown once. */
  isHeld?: boolean;
  /** A short question: a card even on a phone, where forms take the whole screen. */
  isBrief?: boolean;
  onClose: () => void;
  children: ReactNode;
}

export function Dialog({
  isOpen,
  title,
  size = 'md',
  isHeld = false,
  isBrief = false,
  onClose,
  children,
}: DialogProps) {
  const { t } = useTranslation();
  useAsOverlay('dialog', isOpen);
  const isShown = useShown(isOpen);
  const isPhone = useMediaQuery(PHONE_SCREEN, undefined, { getInitialValueInEffect: false });
  const isFullScreen = isPhone && !isBrief;
  return (
    <Modal
      opened={isShown}
      onClose={onClose}
      title={title}
      size={size}
      radius={isFullScreen ? 0 : 'lg'}
      fullScreen={isFullScreen}
      centered
      padding="lg"
      overlayProps={{ backgroundOpacity: 0.6, blur: 2 }}
      closeOnClickOutside={!isHeld}
      closeOnEscape={!isHeld}
      withCloseButton={!isHeld}
      closeButtonProps={{ 'aria-label': t('close') }}
    >
      {children}
    </Modal>
  );
}
