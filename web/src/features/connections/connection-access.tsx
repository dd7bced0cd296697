import type { Connection } from '@cellhop/contract/connections';
import { useTranslation } from 'react-i18next';
import { useSettings } from '../../lib/settings.ts';
import { Copyable } from '../../ui/copyable.tsx';
import { isLive } from './api.ts';
import { connectionStrings, curlLines, curlTarget, digLine, proxyUrls } from './access-strings.ts';
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
    </section>
  );
}

function ReadyLines({ connection }: { connection: Connection & { password: string } }) {
  const { t } = useTranslation('proxyConnection');
  const { isDevelopment, publicUrl } = useSettings();
  const urls = proxyUrls(connection);
  const curl = curlLines(connection, curlTarget({ isDevelopment, publicUrl }));
  return (
    <>
      <h3>{t('access.strings')}</h3>
      <dl className={classes['lines']}>
        {connectionStrings(connection).map((line, index) => (
          <Value key={line} name={stringNames[index] ?? ''} value={line} isWrapped />
        ))}
        <Value name={t('access.urlSocks')} value={urls.socks} isWrapped />
        <Value name={t('access.urlHttp')} value={urls.http} isWrapped />
      </dl>
      {isLive(connection) && (
        <>
          <h3>{t('access.curl')}</h3>
          <dl className={classes['lines']}>
            <Value name={t('access.curlSocks')} value={curl.socks} isWrapped />
            <Value name={t('access.curlHttp')} value={curl.http} isWrapped />
          </dl>
          {connection.dnsPort !== null && <DnsLine host={connection.host} dnsPort={connection.dnsPort} />}
        </>
      )}
    </>
  );
}

/** How to ask the DNS port, and whom it answers. */
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
