import { currencies } from '@cellhop/contract/invoices.values';
import type { TFunction } from 'i18next';

export type SubjectTexts = TFunction<['transaction', 'payment']>;

const subjectKinds = ['CONNECTION', 'INVOICE', 'PROMO_CODE', 'REFERRAL'] as const;

/** The subject of a transaction. The label of an invoice is the code of its currency, which is shown by its usual name. */
export function subjectText(t: SubjectTexts, kind: string | undefined, label = ''): string {
  const known = subjectKinds.find((subjectKind) => subjectKind === kind);
  if (known === undefined) return label;
  const currency = known === 'INVOICE' ? currencies.find((each) => each === label) : undefined;
  return t(`subjects.${known}`, { label: currency === undefined ? label : t(`payment:networks.${currency}`) });
}
