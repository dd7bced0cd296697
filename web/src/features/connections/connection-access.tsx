import type { Connection } from '@cellhop/contract/connections';
import { Button, Select } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSettings } from '../../data/settings.ts';
import { useCopy } from '../../hooks/use-copy.ts';
import { Copyable } from '../../ui/copyable.tsx';
import { Disclosure } from '../../ui/disclosure.tsx';
import hidden from '../../ui/visually-hidden.module.css';
import { accessFormats, curlTarget, digLine, writeAccess } from './access-strings.ts';
import { isLive, useConnectionCheck } from './api.ts';
import { CheckResult } from './check-result.tsx';
import classes from './connection-access.module.css';
import { ReplaceOffer } from './replace-offer.tsx';

/** The QR code needs code of its own; its place is reserved. */
const PhoneAccess = lazy(async () => ({ default: (await import('./phone-access.tsx')).PhoneAccess }));

/** What a bought proxy is used with: one string to copy, a test, and everything else behind them. */
export function ConnectionAccess({ connection }: { connection: Connection }) {
  const { t } = useTranslation('proxyConnection');
  const { host, port, dnsPort, username, password } = connection;
  const isUsable = isLive(connection);
  return (
    <section className={classes['access']}>
      <h3>{t('access.title')}</h3>
      {!isUsable && <p className={classes['ended']}>{t('access.ended')}</p>}
      {isUsable && password !== null && <ReadyAccess connection={{ ...connection, password }} />}
      <dl className={classes['values']}>
        <Value name={t('access.host')} value={host} />
        <Value name={t('access.port')} value={String(port)} />
        <Value
          name={t('access.dnsPort')}
          value={dnsPort === null ? undefined : String(dnsPort)}
          missing={t('access.noDnsPort')}
        />
        <Value name={t('access.username')} value={username} />
        <Value name={t('access.password')} value={password ?? undefined} missing={t('access.noPassword')} />
      </dl>
      {dnsPort !== null && isUsable && <DnsAccess host={host} dnsPort={dnsPort} />}
    </section>
  );
}

type Usable = Connection & { password: string };

/** The string in the chosen format, the test, and the way onto a phone. */
function ReadyAccess({ connection }: { connection: Usable }) {
  const { t } = useTranslation('proxyConnection');
  const settings = useSettings();
  const [chosen, setFormat] = useState<(typeof accessFormats)[number]>('userinfo');
  const { isCopied, copy } = useCopy();
  const check = useConnectionCheck();
  const formats = accessFormats.filter((value) => value !== 'httpsUrl' || connection.isTlsServed === true);
  // The certificate may expire while the page is open.
  const format = formats.includes(chosen) ? chosen : 'userinfo';
  const line = writeAccess(connection, format, curlTarget(settings));
  return (
    <div className={classes['ready']}>
      <div className={classes['string']}>
        <Select
          label={t('access.format')}
          data={formats.map((value) => ({ value, label: t(`access.formats.${value}`) }))}
          value={format}
          allowDeselect={false}
          onChange={(value) => setFormat(value ?? format)}
        />
        <code className={classes['line']}>{line}</code>
        <div className={classes['actions']}>
          <Button
            leftSection={isCopied ? <IconCheck size={18} /> : <IconCopy size={18} />}
            onClick={() => void copy(line)}
          >
            {t(isCopied ? 'access.copied' : 'access.copy')}
          </Button>
          <Button variant="default" loading={check.isRunning} onClick={() => void check.run(connection.id)}>
            {t('access.test')}
          </Button>
        </div>
        <output className={hidden['visuallyHidden']}>{isCopied ? t('access.copied') : ''}</output>
        <CheckResult check={check.result} isRunning={check.isRunning} />
        <ReplaceOffer connection={connection} check={check.result} />
        <p className={classes['note']}>{t(connection.isTlsServed === true ? 'access.onePortTls' : 'access.onePort')}</p>
      </div>
      <Suspense fallback={<div className={classes['phonePlace']} />}>
        <PhoneAccess connection={connection} />
      </Suspense>
    </div>
  );
}

/** How to query the DNS port, and which clients it answers. */
function DnsAccess({ host, dnsPort }: { host: string; dnsPort: number }) {
  const { t } = useTranslation('proxyConnection');
  return (
    <Disclosure title={t('access.dns')}>
      <p className={classes['note']}>{t('access.dnsNote')}</p>
      <dl>
        <Value name={t('access.dig')} value={digLine(host, dnsPort)} isWrapped />
      </dl>
    </Disclosure>
  );
}

interface ValueProps {
  name: string;
  value: string | undefined;
  /** Shown if there is no value. */
  missing?: string;
  /** Wraps long values. */
  isWrapped?: boolean;
}

function Value({ name, value, missing, isWrapped = false }: ValueProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value === undefined ? missing : <Copyable name={name} value={value} isWrapped={isWrapped} />}</dd>
    </div>
  );
}
