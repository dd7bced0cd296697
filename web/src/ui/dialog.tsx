import { Modal } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { PHONE_SCREEN } from './screen.ts';

interface DialogProps {
  isOpen: boolean;
  title: string;
  size?: 'sm' | 'md' | 'lg';
  /** Only what stands in it closes it: a stray click must not take away what is shown once. */
  isHeld?: boolean;
  onClose: () => void;
  children: ReactNode;
}

export function Dialog({ isOpen, title, size = 'md', isHeld = false, onClose, children }: DialogProps) {
  const { t } = useTranslation();
  const isPhone = useMediaQuery(PHONE_SCREEN, undefined, { getInitialValueInEffect: false });
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={title}
      size={size}
      radius={isPhone ? 0 : 'lg'}
      fullScreen={isPhone}
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
