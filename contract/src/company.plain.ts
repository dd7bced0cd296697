import { plain } from './endpoint.ts';
import type * as full from './company.ts';

/** Letters and digits, with spaces and the punctuation of tax numbers between them. Empty: none. */
export function isTaxId(text: string): boolean {
  return text === '' || /^[\p{L}\d][\p{L}\d ./-]*$/u.test(text);
}

export const getCompany = plain<typeof full.getCompany>({ method: 'GET', url: '/v1/profile/company', access: 'user' });
export const saveCompany = plain<typeof full.saveCompany>({
  method: 'PUT',
  url: '/v1/profile/company',
  access: 'user',
});
