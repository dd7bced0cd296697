import type { PreviewRow } from '@cellhop/contract/staff/import-lines';
import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { formatMoney } from '../../format/format.ts';
import classes from './import-form.module.css';

/** How the first lines of a file were read. */
export function ImportPreview({ rows }: { rows: readonly PreviewRow[] }) {
  const { t } = useTranslation('staffInventory');
  if (rows.length === 0) return null;
  return (
    <div>
      <Text fw={600} size="sm">
        {t('import.preview')}
      </Text>
      {/* A scrollable region must be reachable by keyboard. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <section className={classes['preview']} tabIndex={0} aria-label={t('import.preview')}>
        <ul className={classes['list']}>
          {rows.map((row) => (
            <li key={row.line}>
              <PreviewLine row={row} />
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}

function PreviewLine({ row: { line, ip, exit, node, place, price, hasLink } }: { row: PreviewRow }) {
  const { t } = useTranslation('staffInventory');
  return (
    <>
      <span className={classes['place']}>{t('import.line', { line })}</span> {ip ?? t('import.waits')}
      <br />
      {t('import.through', { exit: exit === '' ? t('ownRoute') : exit, node })}
      <br />
      {place}, {formatMoney(price)}
      {hasLink && (
        <>
          <br />
          {t('import.link')}
        </>
      )}
    </>
  );
}
