import type { UsagePoint, UsageStep } from '@cellhop/contract/usage';
import { Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { formatMegabytes, formatMoney } from '../../format/format.ts';
import { BarChart } from '../../ui/bar-chart.tsx';
import { spokenTime, barLabel } from './range.ts';
import classes from './usage-charts.module.css';

const KIB_PER_MEGABYTE = 1024;

interface UsageChartsProps {
  points: readonly UsagePoint[] | undefined;
  step: UsageStep;
}

export function UsageCharts({ points, step }: UsageChartsProps) {
  const { t } = useTranslation(['usage', 'proxyConnection', 'common']);
  const megabytes = (kibibytes: number) => t('common:megabytes', { value: formatMegabytes(kibibytes) });
  return (
    <>
      <div className={classes['charts']}>
        <Figure title={t('spendingChart')}>
          {points && (
            <BarChart
              label={t('spendingChart')}
              emptyText={t('noSpending')}
              formatTick={formatMoney}
              bars={points.map((point) => ({
                ...barLabel(point.at, step),
                text: `${spokenTime(point.at, step)}\n${formatMoney(point.spent)}`,
                parts: [point.spent],
              }))}
            />
          )}
        </Figure>
        <Figure title={t('trafficChart')} hasLegend>
          {points && (
            <BarChart
              label={t('trafficChart')}
              legend={[t('downloaded'), t('uploaded')]}
              emptyText={t('noTraffic')}
              formatTick={(value) => value.toLocaleString('en-US')}
              bars={points.map((point) => ({
                ...barLabel(point.at, step),
                text: [
                  spokenTime(point.at, step),
                  `${t('downloaded')}: ${megabytes(downloaded(point))}`,
                  `${t('uploaded')}: ${megabytes(point.uploaded)}`,
                ].join('\n'),
                parts: [downloaded(point) / KIB_PER_MEGABYTE, point.uploaded / KIB_PER_MEGABYTE],
              }))}
            />
          )}
        </Figure>
      </div>
      <details className={classes['table']}>
        <summary>{t('asTable')}</summary>
        {/* A scrollable region must be reachable by keyboard. */}
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
        <section className={classes['scroll']} tabIndex={0} aria-label={t('asTable')}>
          <table>
            <thead>
              <tr>
                <th scope="col">{t('time')}</th>
                <th scope="col">{t('spent')}</th>
                <th scope="col">{t('downloaded')}</th>
                <th scope="col">{t('uploaded')}</th>
              </tr>
            </thead>
            <tbody>
              {points?.map((point) => (
                <tr key={point.at}>
                  <th scope="row">{spokenTime(point.at, step)}</th>
                  <td>{formatMoney(point.spent)}</td>
                  <td>{megabytes(downloaded(point))}</td>
                  <td>{megabytes(point.uploaded)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </details>
    </>
  );
}

interface FigureProps {
  title: string;
  hasLegend?: boolean;
  children: ReactNode;
}

function Figure({ title, hasLegend = false, children }: FigureProps) {
  return (
    <section className={classes['figure']}>
      <h2>{title}</h2>
      {children ?? (
        <div className={classes['waiting']} data-legend={hasLegend}>
          <Skeleton height="100%" />
        </div>
      )}
    </section>
  );
}

function downloaded({ trafficUsed, uploaded }: UsagePoint): number {
  return trafficUsed - uploaded;
}
