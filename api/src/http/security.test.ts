import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { staticSecurityHeaders, useSecurity } from './security.ts';

test.each([
  ['http://shop.example.com', true, undefined],
  ['https://shop.example.com', false, 'max-age=31536000'],
  ['https://shop.example.com', true, 'max-age=31536000; includeSubDomains'],
])('with %s and sub-domains %s, HTTPS is required by "%s"', async (publicUrl, isHttpsOnSubdomains, expected) => {
  const config = { publicUrl, isHttpsOnSubdomains };
  await using app = Fastify();
  await useSecurity(app, config);
  app.get('/', () => '');
  const { headers } = await app.inject('/');
  expect(headers['strict-transport-security']).toBe(expected);
  expect(staticSecurityHeaders(config)['Strict-Transport-Security']).toBe(expected);
});
