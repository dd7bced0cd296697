import { connectionStrings, proxyUrls } from '@cellhop/contract/access-strings';
import type { Connection } from '@cellhop/contract/connections';
import { SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSettings } from '../../data/settings.ts';
import { Copyable } from '../../ui/copyable.tsx';
import { isLive } from './api.ts';
import { curlLines, curlTarget, digLine } from './access-strings.ts';
import classes from './connection-access.module.css';

/** Credentials and commands for a bought proxy, each with a copy button. */
export function ConnectionAccess({ connection }: { connection: Connection }) {
  const { t } = useTranslation('proxyConnection');
  const { host, port, dnsPort, username, password } = connection;
  return (
    <section className={classes['access']}>
      <h3>{t('access.title')}</h3>
      {!isLive(connection) && <p className={classes['ended']}>{t('access.ended')}</p>}
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
      {password !== null && <ReadyLines connection={{ ...connection, password }} />}
      {dnsPort !== null && isLive(connection) && <DnsLine host={host} dnsPort={dnsPort} />}
    </section>
  );
}

const forms = ['SOCKS5', 'HTTP', 'curl', 'URL'] as const;
type Form = (typeof forms)[number];

/** The access details in several formats for programs; the user chooses one. */
function ReadyLines({ connection }: { connection: Connection & { password: string } }) {
  const { t } = useTranslation('proxyConnection');
  const { isDevelopment, publicUrl } = useSettings();
  const [form, setForm] = useState<Form>('SOCKS5');
  const urls = proxyUrls(connection);
  const curl = curlLines(connection, curlTarget({ isDevelopment, publicUrl }));
  // One port serves both protocols.
  const strings = connectionStrings(connection).map((line, index) => ({ name: stringNames[index] ?? '', line }));
  const lines: Record<Form, { name: string; line: string }[]> = {
    SOCKS5: strings,
    HTTP: strings,
    curl: [
      { name: t('access.curlSocks'), line: curl.socks },
      { name: t('access.curlHttp'), line: curl.http },
    ],
    URL: [
      { name: t('access.urlSocks'), line: urls.socks },
      { name: t('access.urlHttp'), line: urls.http },
    ],
  };
  return (
    <>
      <h3>{t('access.strings')}</h3>
      <SegmentedControl aria-label={t('access.strings')} data={[...forms]} value={form} onChange={setForm} />
      <dl className={classes['lines']}>
        {lines[form].map(({ name, line }) => (
          <Value key={line} name={name} value={line} isWrapped />
        ))}
      </dl>
    </>
  );
}

/** How to query the DNS port, and which clients it answers. */
function DnsLine({ host, dnsPort }: { host: string; dnsPort: number }) {
  const { t } = useTranslation('proxyConnection');
  return (
    <>
      <h3>{t('access.dnsPort')}</h3>
      <p>{t('access.dnsNote')}</p>
      <dl className={classes['lines']}>
        <Value name={t('access.dig')} value={digLine(host, dnsPort)} isWrapped />
      </dl>
    </>
  );
}

const stringNames = ['host:port', 'username:password@host:port', 'host:port:username:password'];

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
