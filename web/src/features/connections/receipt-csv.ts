import type { Charge } from '@cellhop/contract/receipts';
import { toDollarText, toMicros } from '@cellhop/contract/units';

const HEADER =
  'number,chargedAt,kind,firstMegabyte,lastMegabyte,uploadedBytes,downloadedBytes,megabytePrice,amount,hash';

/** The charges as CSV (RFC 4180). Numbers, dates and names of kinds alone: nothing in it needs quotes. */
export function receiptCsv(charges: readonly Charge[]): string {
  const lines = charges.map((charge) =>
    [
      charge.number,
      charge.chargedAt,
      charge.kind,
      charge.firstMegabyte,
      charge.lastMegabyte,
      charge.uploadedBytes,
      charge.downloadedBytes,
      toDollarText(toMicros(charge.megabytePrice)),
      toDollarText(toMicros(charge.amount)),
      charge.hash,
    ].join(','),
  );
  return [HEADER, ...lines, ''].join('\r\n');
}
