import { Button, Group, Stack, Text } from '@mantine/core';
import { IconCheck, IconCopy, IconDownload } from '@tabler/icons-react';
import { type RefObject, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { downloadText } from '../../data/download-text.ts';
import { useSettings } from '../../data/settings.ts';
import { useCopy } from '../../hooks/use-copy.ts';
import { useProfile } from '../../session/profile.ts';
import classes from './recovery-codes.module.css';
import { recoveryFile } from './recovery-file.ts';

interface RecoveryCodesProps {
  codes: readonly string[];
  onDone: () => void;
}

/** These codes are shown only once. */
export function RecoveryCodes({ codes, onDone }: RecoveryCodesProps) {
  const { t } = useTranslation(['user', 'common']);
  const { brandName } = useSettings();
  const profile = useProfile();
  const { isCopied, copy } = useCopy();
  const text = useFocusOnMount<HTMLParagraphElement>();
  const CopyIcon = isCopied ? IconCheck : IconCopy;

  function download() {
    const heading = t('codes.fileHeading', { brand: brandName, email: profile?.email ?? '' });
    const { name, text } = recoveryFile(brandName, heading, codes);
    downloadText(name, text);
  }

  return (
    <Stack>
      <Text ref={text} tabIndex={-1}>
        {t('codes.text')}
      </Text>
      <ul className={classes['codes']} aria-label={t('codes.title')}>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <Group grow preventGrowOverflow={false}>
        <Button
          variant="default"
          leftSection={<CopyIcon size={18} stroke={1.6} aria-hidden="true" />}
          onClick={() => void copy(codes.join('\n'))}
        >
          {t(isCopied ? 'common:copied' : 'codes.copy')}
        </Button>
        <Button
          variant="default"
          leftSection={<IconDownload size={18} stroke={1.6} aria-hidden="true" />}
          onClick={download}
        >
          {t('codes.download')}
        </Button>
      </Group>
      <Button size="md" onClick={onDone}>
        {t('codes.saved')}
      </Button>
    </Stack>
  );
}

/** For an element that replaces a focused one: screen readers announce it, and Tab continues from it. */
export function useFocusOnMount<E extends HTMLElement>(): RefObject<E | null> {
  const target = useRef<E>(null);
  useEffect(() => target.current?.focus({ preventScroll: true }), []);
  return target;
}
