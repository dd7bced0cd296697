import { Button, VisuallyHidden } from '@mantine/core';
import { IconCheck, IconLink } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useCopy } from '../../hooks/use-copy.ts';

/** Copies the address that opens the sign-up with the code. */
export function CopyLink({ code }: { code: string }) {
  const { t } = useTranslation(['staffContent', 'common']);
  const { isCopied, copy } = useCopy();
  const Icon = isCopied ? IconCheck : IconLink;
  return (
    // The hidden text is placed in relation to it.
    <span style={{ position: 'relative' }}>
      <Button
        size="compact-sm"
        variant="light"
        leftSection={<Icon size={15} stroke={1.7} aria-hidden="true" />}
        aria-label={t('promoCodes.link.of', { code })}
        onClick={() => void copy(signUpAddress(code))}
      >
        {t('promoCodes.link.action')}
      </Button>
      <VisuallyHidden component="output">{isCopied ? t('common:copied') : ''}</VisuallyHidden>
    </span>
  );
}

function signUpAddress(code: string): string {
  return `${location.origin}/sign-up?rc=${encodeURIComponent(code)}`;
}
