import type { Charge } from '@cellhop/contract/receipts';
import { toDollarText, toMicros } from '@cellhop/contract/units';
import type { TFunction } from 'i18next';
import { spreadsheetTime, toSpreadsheet } from '../../format/spreadsheet.ts';

/** The charges for a spreadsheet. Only the JSON file has the signature. */
export function receiptCsv(charges: readonly Charge[], t: TFunction<'receipt'>, language: string): string {
  const columns = [
    { header: t('file.number'), isNumber: true },
    { header: t('date') },
    { header: t('what') },
    { header: t('file.firstMegabyte'), isNumber: true },
    { header: t('file.lastMegabyte'), isNumber: true },
    { header: t('file.uploadedBytes'), isNumber: true },
    { header: t('file.downloadedBytes'), isNumber: true },
    { header: t('file.megabytePrice'), isNumber: true },
    { header: t('file.amount'), isNumber: true },
    { header: t('file.hash') },
  ];
  const rows = charges.map((charge) => [
    String(charge.number),
    spreadsheetTime(charge.chargedAt),
    t(`file.kinds.${charge.kind}`),
    String(charge.firstMegabyte),
    String(charge.lastMegabyte),
    String(charge.uploadedBytes),
    String(charge.downloadedBytes),
    toDollarText(toMicros(charge.megabytePrice)),
    toDollarText(toMicros(charge.amount)),
    charge.hash,
  ]);
  return toSpreadsheet(language, columns, rows);
}
