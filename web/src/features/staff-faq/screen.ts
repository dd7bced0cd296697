import { IconListDetails } from '@tabler/icons-react';
import { type Language, languages } from '../../i18n/languages.ts';
import { oneOf, type Search } from '../../loading/search-values.ts';
import type { StaffScreenOf } from '../staff-parts/staff-screen.ts';

export const staffFaqScreen = {
  path: '/admin/faq',
  permission: 'FAQ_READ',
  texts: ['staffContent', 'faq'],
  search: staffFaqSearch,
  title: { en: 'FAQ entries', ru: 'Вопросы и ответы' },
  menuItem: { en: 'FAQ', ru: 'Вопросы и ответы' },
  Icon: IconListDetails,
} as const satisfies StaffScreenOf<'GET /v1/faqs/admin'>;

interface StaffFaqSearch {
  /** The language of the preview; undefined: the entries are edited. */
  preview?: Language | undefined;
}

function staffFaqSearch({ preview }: Search): StaffFaqSearch {
  return { preview: oneOf(preview, languages) };
}
