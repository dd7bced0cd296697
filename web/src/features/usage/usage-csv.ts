import type { UsagePoint } from '@cellhop/contract/usage';
import type { TFunction } from 'i18next';
import { spreadsheetTime, toSpreadsheet } from '../../format/spreadsheet.ts';

const KIB_PER_MEGABYTE = 1024;

/** One row per hour or day, in the user's time zone. Six decimals of a megabyte are precise to one byte. */
export function toUsageFile(points: readonly UsagePoint[], t: TFunction<'usage'>, language: string): string {
  const columns = [
    { header: t('time') },
    { header: t('file.downloaded'), isNumber: true },
    { header: t('file.uploaded'), isNumber: true },
    { header: t('file.traffic'), isNumber: true },
    { header: t('file.spent'), isNumber: true },
  ];
  const rows = points.map(({ at, trafficUsed, uploaded, spent }) => [
    spreadsheetTime(at),
    plain((trafficUsed - uploaded) / KIB_PER_MEGABYTE),
    plain(uploaded / KIB_PER_MEGABYTE),
    plain(trafficUsed / KIB_PER_MEGABYTE),
    plain(spent),
  ]);
  return toSpreadsheet(language, columns, rows);
}

/** Decimal notation: not every spreadsheet parses `1e-7`. */
function plain(value: number): string {
  return value.toFixed(6).replace(/\.?0+$/, '');
}
