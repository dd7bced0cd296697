import type { UsagePoint, UsageStep } from '@cellhop/contract/usage';
import { Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { formatMegabytes, formatMoney } from '../../lib/format.ts';
import { BarChart } from '../../ui/bar-chart.tsx';
import { spokenTime, timeOf } from './step-label.ts';
import classes from './usage-charts.module.css';

const KIB_PER_MEGABYTE = 1024;

interface UsageChartsProps {
  points: readonly UsagePoint[] | undefined;
  step: UsageStep;
}

export function UsageCharts({ points, step }: UsageChartsProps) {
  const { t } = useTranslation(['proxyConnection', 'common']);
  const megabytes = (kibibytes: number) => t('common:megabytes', { value: formatMegabytes(kibibytes) });
  return (
    <>
      <div className={classes['charts']}>
        <Figure title={t('usage.spendingChart')}>
          {points && (
            <BarChart
              label={t('usage.spendingChart')}
              emptyText={t('usage.noSpending')}
              formatTick={formatMoney}
              bars={points.map((point) => ({
                ...timeOf(point.at, step),
                text: `${spokenTime(point.at, step)}\n${formatMoney(point.spent)}`,
                parts: [point.spent],
              }))}
            />
          )}
        </Figure>
        <Figure title={t('usage.trafficChart')} hasLegend>
          {points && (
            <BarChart
              label={t('usage.trafficChart')}
              legend={[t('usage.downloaded'), t('usage.uploaded')]}
              emptyText={t('usage.noTraffic')}
              formatTick={(value) => value.toLocaleString('en-US')}
              bars={points.map((point) => ({
                ...timeOf(point.at, step),
                text: [
                  spokenTime(point.at, step),
                  `${t('usage.downloaded')}: ${megabytes(downloaded(point))}`,
                  `${t('usage.uploaded')}: ${megabytes(point.uploaded)}`,
                ].join('\n'),
                parts: [downloaded(point) / KIB_PER_MEGABYTE, point.uploaded / KIB_PER_MEGABYTE],
              }))}
            />
          )}
        </Figure>
      </div>
      <details className={classes['table']}>
        <summary>{t('usage.asTable')}</summary>
        {/* A scrollable region must be reachable by keyboard. */}
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
        <section className={classes['scroll']} tabIndex={0} aria-label={t('usage.asTable')}>
          <table>
            <thead>
              <tr>
                <th scope="col">{t('usage.time')}</th>
                <th scope="col">{t('usage.spent')}</th>
                <th scope="col">{t('usage.downloaded')}</th>
                <th scope="col">{t('usage.uploaded')}</th>
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
