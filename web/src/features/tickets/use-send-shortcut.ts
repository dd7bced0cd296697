import { useMediaQuery } from '@mantine/hooks';
import type { KeyboardEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { TOUCH_SCREEN } from '../../ui/breakpoints.ts';

/** Ctrl+Enter sends a message, on a Mac also Cmd+Enter. @param send undefined while the message cannot be sent */
export function useSendShortcut(send: (() => void) | undefined) {
  const { t } = useTranslation('support');
  const isTouch = useMediaQuery(TOUCH_SCREEN, undefined, { getInitialValueInEffect: false });
  return {
    description: isTouch ? undefined : t('messages.shortcut'),
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) send?.();
    },
  };
}
