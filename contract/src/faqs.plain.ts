import { plain } from './endpoint.ts';
import type * as full from './faqs.ts';

export const listFaqs = plain<typeof full.listFaqs>({ method: 'GET', url: '/v1/faqs', access: 'user' });
