import { useTranslation } from 'react-i18next';
import { useSettings } from '../data/settings.ts';

/** Who sells, as papers and the imprint name it; the brand if the operator has not set it. Needs the texts `legal`. */
export function useSellerLines(): string[] {
  const { t } = useTranslation('legal');
  const { brandName, publicUrl, contactEmail, seller } = useSettings();
  const { name, address, register, vatId } = seller ?? { name: brandName, address: '', register: '', vatId: '' };
  const lines = [name, address, register, vatId && t('vatId', { vatId }), publicUrl, contactEmail];
  return lines.filter((line) => line !== null && line !== '') as string[];
}
