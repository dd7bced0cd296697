import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProxy } from '../../test/factories.ts';
import { startSecondApp, startTestApp, type TestApp } from '../../test/test-app.ts';

const publicUrl = 'https://shop.example.com';
let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp({ publicUrl, securityContact: 'security@example.com' });
});
afterAll(() => testApp.stop());

const get = (path: string, app = testApp) => fetch(app.url + path, { redirect: 'manual' });

test('the sitemap lists the public pages by their absolute addresses', async () => {
  const response = await get('/sitemap.xml');
  expect(response.headers.get('content-type')).toBe('application/xml; charset=utf-8');
  const locations = [...(await response.text()).matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, location]) => location);
  expect(locations).toEqual(expect.arrayContaining([`${publicUrl}/`, `${publicUrl}/legal/terms`]));
});

test('the sitemap lists prices and locations in each language, with the other ones', async () => {
  await createProxy(testApp, { countryCode: 'DE' });
  const app = await startSecondApp(testApp);
  try {
    const text = await (await get('/sitemap.xml', app)).text();
    for (const path of ['/pricing', '/locations', '/locations/de'])
      for (const language of ['', '/ru'])
        expect(text).toContain(
          `<url><loc>${publicUrl}${language}${path}</loc><xhtml:link rel="alternate" hreflang="en" href="${publicUrl}${path}"/><xhtml:link rel="alternate" hreflang="ru" href="${publicUrl}/ru${path}"/></url>`,
        );
  } finally {
    await app.stop();
  }
});

test('password managers find the page on which the password is changed', async () => {
  const response = await get('/.well-known/change-password');
  expect([response.status, response.headers.get('location')]).toEqual([302, '/account#password']);
});

test('security.txt names the contact of the setting, and is valid for half a year', async () => {
  const response = await get('/.well-known/security.txt');
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  const text = await response.text();
  expect(text).toMatch(/^Contact: mailto:security@example\.com\n/);
  expect(text).toContain(`\nCanonical: ${publicUrl}/.well-known/security.txt\n`);
  const days = (Date.parse(/^Expires: (.+)$/m.exec(text)![1]!) - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(179);
  expect(days).toBeLessThan(365);
});

test('the contact may be a page; without one there is no security.txt', async () => {
  const page = await startSecondApp(testApp, { securityContact: 'https://example.com/security' });
  const none = await startSecondApp(testApp, { securityContact: undefined });
  try {
    expect(await (await get('/.well-known/security.txt', page)).text()).toMatch(
      /^Contact: https:\/\/example\.com\/security\n/,
    );
    expect((await get('/.well-known/security.txt', none)).status).toBe(404);
  } finally {
    await page.stop();
    await none.stop();
  }
});
