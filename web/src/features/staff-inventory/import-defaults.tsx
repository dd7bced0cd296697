import { isCountryCode } from '@cellhop/contract/countries.values';
import { FILTER_VALUE_LENGTH_MAX, NODE_NAME_LENGTH_MAX } from '@cellhop/contract/limits';
import type { ImportDefaults } from '@cellhop/contract/staff/import-lines';
import { lineKinds } from '@cellhop/contract/staff/inventory.values';
import { Select, SimpleGrid, Text, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { readNumber } from '../../format/number-kinds.ts';
import { oneOf } from '../../loading/search-values.ts';
import { Disclosure } from '../../ui/disclosure.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { priceNotation } from './price-change.ts';

/** As typed. */
export interface DefaultTexts {
  price: string;
  country: string;
  isp: string;
  type: string;
  node: string;
  kind: string;
}

export const noDefaults: DefaultTexts = { price: '', country: '', isp: '', type: '', node: '', kind: 'socks5' };

/** @returns undefined while a field is not valid */
export function toDefaults({ price, country, isp, type, node, kind }: DefaultTexts): ImportDefaults | undefined {
  const { kind: notation, ...bounds } = priceNotation('price');
  const { value } = readNumber(notation, price, bounds);
  const code = country.trim().toUpperCase();
  if ((price.trim() !== '' && value === undefined) || (code !== '' && !isCountryCode(code))) return undefined;
  return {
    price: value,
    countryCode: code || undefined,
    isp: isp.trim() || undefined,
    connectionType: type.trim() || undefined,
    node: node.trim() || undefined,
    exitKind: oneOf(kind, lineKinds),
  };
}

interface DefaultFieldsProps {
  texts: DefaultTexts;
  onChange: (texts: DefaultTexts) => void;
}

/** What lists of providers do not say, for all of their lines. */
export function DefaultFields({ texts, onChange }: DefaultFieldsProps) {
  const { t } = useTranslation(['staffInventory', 'common']);
  const field = (key: keyof DefaultTexts) => ({
    autoComplete: 'off',
    value: texts[key],
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) =>
      onChange({ ...texts, [key]: currentTarget.value }),
  });
  const code = texts.country.trim().toUpperCase();
  return (
    <Disclosure title={t('import.defaults')}>
      <Text size="sm" mb="sm">
        {t('import.defaultsText')}
      </Text>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
        <NumberField {...priceNotation('price')} label={t('price.dollars')} {...field('price')} />
        <TextInput
          label={t('import.country')}
          placeholder="DE"
          error={code !== '' && !isCountryCode(code) ? t('problems.NOT_A_COUNTRY') : undefined}
          {...field('country')}
        />
        <TextInput label={t('common:location.isp')} maxLength={FILTER_VALUE_LENGTH_MAX} {...field('isp')} />
        <TextInput
          label={t('common:location.connectionType')}
          placeholder="LTE"
          maxLength={FILTER_VALUE_LENGTH_MAX}
          {...field('type')}
        />
        <Select
          label={t('import.kind')}
          data={[
            { value: 'socks5', label: 'SOCKS5' },
            { value: 'http', label: 'HTTP' },
          ]}
          allowDeselect={false}
          value={texts.kind}
          onChange={(kind) => onChange({ ...texts, kind: kind ?? texts.kind })}
        />
        <TextInput label={t('node')} maxLength={NODE_NAME_LENGTH_MAX} {...field('node')} />
      </SimpleGrid>
    </Disclosure>
  );
}
