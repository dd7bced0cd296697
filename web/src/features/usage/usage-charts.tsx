import type { UsagePoint, UsageStep } from '@cellhop/contract/usage';
import { Skeleton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { formatDate, formatDecimal, formatTraffic, KIB_PER_UNIT, trafficUnit } from '../../format/format.ts';
import { formatTotal } from '../../format/money.ts';
import { BarChart } from '../../ui/bar-chart.tsx';
import { Money } from '../../ui/money.tsx';
import classes from './usage-charts.module.css';

/** The last decimal that `formatTraffic` shows. */
const TRAFFIC_STEP_MIN = { megabytes: 0.1, gigabytes: 0.01 };

interface UsageChartsProps {
  points: readonly UsagePoint[] | undefined;
  step: UsageStep;
}

export function UsageCharts({ points, step }: UsageChartsProps) {
  const { t } = useTranslation(['usage', 'proxyConnection']);
  const steps = points?.map(({ at }) => at);
  return (
    <>
      <div className={classes['charts']}>
        <StepChart
          steps={steps}
          step={step}
          title={t('spendingChart')}
          emptyText={t('noSpending')}
          parts={[points?.map(({ spent }) => spent) ?? []]}
          format={formatTotal}
        />
        <TrafficChart
          steps={steps}
          step={step}
          emptyText={t('noTraffic')}
          legend={[t('downloaded'), t('uploaded')]}
          parts={[points?.map(downloaded) ?? [], points?.map(({ uploaded }) => uploaded) ?? []]}
        />
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
                  <td>
                    <Money dollars={point.spent} />
                  </td>
                  <td>{formatTraffic(downloaded(point))}</td>
                  <td>{formatTraffic(point.uploaded)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </details>
    </>
  );
}

interface StepChartProps {
  /** The times of the bars; undefined while they are loaded. */
  steps: readonly string[] | undefined;
  step: UsageStep;
  title: string;
  /** Of all bars, as text; shown next to the title. */
  sum?: string;
  emptyText: string;
  /** One series for each part, from the bottom up, with a value for each step. */
  parts: readonly (readonly number[])[];
  /** Names of the parts. */
  legend?: readonly string[];
  /** Values per unit of the axis. */
  scale?: number;
  /** The smallest distance of ticks, in units of the axis: smaller ones would have equal texts. */
  stepMin?: number;
  format: (value: number) => string;
  /** Default: like the values. */
  formatTick?: (value: number) => string;
  onOpen?: (index: number) => void;
}

/** A titled chart with a bar for each hour or day. */
export function StepChart({ steps, step, title, sum, parts, scale = 1, format, ...chart }: StepChartProps) {
  const { legend, formatTick = format } = chart;
  return (
    <section className={classes['figure']}>
      <div className={classes['head']}>
        <h2>{title}</h2>
        {sum !== undefined && <strong>{sum}</strong>}
      </div>
      {steps === undefined ? (
        <div className={classes['waiting']} data-legend={legend !== undefined}>
          <Skeleton height="100%" />
        </div>
      ) : (
        <BarChart
          {...chart}
          label={title}
          formatTick={formatTick}
          bars={steps.map((at, index) => {
            const values = parts.map((part) => part[index] ?? 0);
            const texts = values.map((value, part) => (legend ? `${legend[part]}: ${format(value)}` : format(value)));
            return {
              ...barLabel(at, step),
              text: [spokenTime(at, step), ...texts].join('\n'),
              parts: values.map((value) => value / scale),
            };
          })}
        />
      )}
    </section>
  );
}

type TrafficChartProps = Omit<StepChartProps, 'title' | 'scale' | 'stepMin' | 'format' | 'formatTick'>;

/** A chart of KiB in the unit that suits its highest bar. */
export function TrafficChart(props: TrafficChartProps) {
  const { t } = useTranslation('common');
  const sums = props.steps?.map((_, index) => props.parts.reduce((sum, part) => sum + (part[index] ?? 0), 0)) ?? [];
  const unit = trafficUnit(Math.max(0, ...sums));
  return (
    <StepChart
      {...props}
      title={t(`trafficChart.${unit}`)}
      scale={KIB_PER_UNIT[unit]}
      stepMin={TRAFFIC_STEP_MIN[unit]}
      format={formatTraffic}
      formatTick={(value) => formatDecimal(String(value))}
    />
  );
}

function downloaded({ trafficUsed, uploaded }: UsagePoint): number {
  return trafficUsed - uploaded;
}

/** Label below the axis: `14:00`, or `21.11`. */
function barLabel(at: string, step: UsageStep): { key: string; label: string } {
  const written = formatDate(at);
  return { key: at, label: step === 'hour' ? written.slice(-5) : written.slice(0, 5) };
}

function spokenTime(at: string, step: UsageStep): string {
  return step === 'hour' ? formatDate(at) : formatDate(at).slice(0, -6);
}
