import type { Connection } from '@cellhop/contract/connections';
import { useTranslation } from 'react-i18next';
import { useSettings } from '../../lib/settings.ts';
import { Copyable } from '../../ui/copyable.tsx';
import { connectionStrings, curlLines, curlTarget } from './access-strings.ts';
import classes from './connection-access.module.css';

/** How to reach a bought proxy: each value and each ready line is one click away from the clipboard. */
export function ConnectionAccess({ connection }: { connection: Connection }) {
  const { t } = useTranslation('proxyConnection');
  const { isDevelopment, publicUrl, brandName } = useSettings();
  const { host, port, dnsPort, username, password } = connection;
  const curl = curlLines(connection, curlTarget({ isDevelopment, publicUrl, brandName }));
  return (
    <section className={classes['access']}>
      <h3>{t('access.title')}</h3>
      <dl className={classes['values']}>
        <Value name={t('access.host')} value={host} />
        <Value name={t('access.port')} value={String(port)} />
        <Value name={t('access.dnsPort')} value={dnsPort === null ? undefined : String(dnsPort)} />
        <Value name={t('access.username')} value={username} />
        <Value name={t('access.password')} value={password} />
      </dl>
      <h3>{t('access.strings')}</h3>
      <div className={classes['lines']}>
        {connectionStrings(connection).map((line, index) => (
          <Copyable key={line} name={stringNames[index] ?? ''} value={line} isWrapped />
        ))}
      </div>
      <h3>{t('access.curl')}</h3>
      <div className={classes['lines']}>
        <Copyable name={t('access.curlSocks')} value={curl.socks} isWrapped />
        <Copyable name={t('access.curlHttp')} value={curl.http} isWrapped />
      </div>
    </section>
  );
}

const stringNames = ['host:port', 'username:password@host:port', 'host:port:username:password'];

function Value({ name, value }: { name: string; value: string | undefined }) {
  const { t } = useTranslation('proxyConnection');
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value === undefined ? t('access.noDnsPort') : <Copyable name={name} value={value} />}</dd>
    </div>
  );
}
