import { plain } from './endpoint.ts';
import type * as full from './legal.ts';

export const getLegalText = plain<typeof full.getLegalText>({
  method: 'GET',
  url: '/v1/legal/{document}',
  access: 'public',
});
