import { type Access, proxyUrls } from '@cellhop/contract/access-strings';
import { Button, SegmentedControl } from '@mantine/core';
import { IconShare2 } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { QrCode } from '../../ui/qr-code.tsx';
import { telegramLink } from './access-strings.ts';
import classes from './connection-access.module.css';

const QR_PIXELS = 164;

type Kind = 'telegram' | 'socks';

/** The way onto a phone: a code for its camera, and on the phone itself links to apps and its share menu. */
export function PhoneAccess({ connection }: { connection: Access }) {
  const { t } = useTranslation('proxyConnection');
  const [kind, setKind] = useState<Kind>('telegram');
  const link = kind === 'telegram' ? telegramLink(connection) : proxyUrls(connection).socks;
  return (
    <div className={classes['phone']}>
      <SegmentedControl
        size="xs"
        fullWidth
        aria-label={t('access.phone')}
        data={[
          { value: 'telegram', label: 'Telegram' },
          { value: 'socks', label: 'SOCKS5' },
        ]}
        value={kind}
        onChange={(value) => setKind(value === 'socks' ? 'socks' : 'telegram')}
      />
      <div className={classes['qr']}>
        <QrCode value={link} pixels={QR_PIXELS} title={t('access.qr')} />
      </div>
      <Button component="a" href={link} variant="default" size="xs" target="_blank" rel="noreferrer">
        {t(kind === 'telegram' ? 'access.openTelegram' : 'access.openApp')}
      </Button>
      {typeof navigator.share === 'function' && (
        <Button variant="default" size="xs" leftSection={<IconShare2 size={16} />} onClick={() => void share(link)}>
          {t('access.share')}
        </Button>
      )}
    </div>
  );
}

async function share(text: string): Promise<void> {
  try {
    await navigator.share({ text });
  } catch {
    // The user has closed the menu.
  }
}
