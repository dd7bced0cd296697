import { INVOICE_DOLLARS_MAX, INVOICE_DOLLARS_MIN } from '@cellhop/contract/limits';
import { Button, Group } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { formatMoney } from '../../format/format.ts';
import { useLowestMegabytePrice } from './api.ts';

const PRESET_DOLLARS = [10, 25, 50, 100];
const TEN_GIGABYTES = 10 * 1024;

interface AmountPresetsProps {
  /** As typed. */
  amount: string;
  onChoose: (amount: string) => void;
}

/** The usual amounts, and what 10 GB cost at the lowest price. */
export function AmountPresets({ amount, onChoose }: AmountPresetsProps) {
  const { t } = useTranslation('payment');
  const megabytePrice = useLowestMegabytePrice();
  const traffic = megabytePrice === undefined ? undefined : Math.ceil(megabytePrice * TEN_GIGABYTES);
  const isPayable = traffic !== undefined && traffic >= INVOICE_DOLLARS_MIN && traffic <= INVOICE_DOLLARS_MAX;
  const preset = (dollars: number, label: string) => (
    <Button
      key={label}
      size="compact-md"
      variant={amount === String(dollars) ? 'light' : 'default'}
      aria-pressed={amount === String(dollars)}
      onClick={() => onChoose(String(dollars))}
    >
      {label}
    </Button>
  );
  return (
    <Group component="fieldset" gap="xs" m={0} p={0} bd={0} aria-label={t('create.presets')}>
      {PRESET_DOLLARS.map((dollars) => preset(dollars, wholeDollars(dollars)))}
      {isPayable && preset(traffic, t('create.tenGigabytes', { amount: wholeDollars(traffic) }))}
    </Group>
  );
}

function wholeDollars(dollars: number): string {
  return formatMoney(dollars).replace(/[.,]00$/, '');
}
