import { describe, expect, test } from 'vitest';
import { renderMail, type MailRequest, type MailTemplate } from './templates.ts';

const link = 'https://proxies.example/v1/auth/confirm-email?code=abc&x=1';
const templates: MailTemplate[] = ['confirm-email', 'recover-password', 'password-changed', 'new-sign-in'];
const event = { device: 'Firefox on Windows', address: '203.0.113.7', at: '2026-11-21T18:05:09.000Z' };
const cases = templates.flatMap((template) =>
  (['en', 'ru'] as const).map((languageCode) => [template, languageCode] as const),
);

function render(
  template: MailTemplate,
  languageCode: 'en' | 'ru',
  brandName: string,
  values: Partial<typeof event & { link: string }> = {},
) {
  const complete = template === 'password-changed' || template === 'new-sign-in' ? { ...event, link } : { link };
  return renderMail(
    { template, to: 'reader@example.com', languageCode, values: { ...complete, ...values } } as MailRequest,
    { brandName, idleTimeoutMs: 1_800_000 },
  );
}

describe('mails', () => {
  test.each(cases)('%s in %s has the link in text and HTML, and the name of the brand', (template, languageCode) => {
    const mail = render(template, languageCode, 'Hop & Sons');
    expect(mail.subject).toContain('Hop & Sons');
    expect(mail.text).toContain(`\n\n${link}\n\n`);
    expect(mail.html).toContain(`href="${link.replaceAll('&', '&#38;')}"`);
    expect(mail.html).toContain('Hop &#38; Sons');
    expect(mail.html).toContain(`<html lang="${languageCode}">`);
  });

  test('escape values', () => {
    const evil = '"><script>alert(1)</script>';
    for (const template of templates) {
      const { html } = render(template, 'en', '<b>"Brand"</b>', { link: `https://x/${evil}` });
      expect(html).not.toMatch(/<script|<b>|"Brand"/);
    }
    expect(render('new-sign-in', 'en', 'Cellhop', { device: evil, address: evil }).html).not.toContain('<script');
  });

  test.each(['password-changed', 'new-sign-in'] as const)('%s contains time, device and address', (template) => {
    const english = render(template, 'en', 'Cellhop');
    const russian = render(template, 'ru', 'Cellhop');
    expect(english.text).toContain('Time: 21.11.2026 18:05 UTC\nDevice: Firefox on Windows\nAddress: 203.0.113.7\n');
    expect(russian.text).toContain('Время: 21.11.2026 18:05 UTC\nУстройство: Firefox, Windows\nАдрес: 203.0.113.7\n');
    expect(english.html).toContain('<strong>Firefox on Windows</strong>');
    const unknown = render(template, 'ru', 'Cellhop', { device: 'Unknown device', address: '' });
    expect(unknown.text).toContain('Устройство: неизвестное\nАдрес: неизвестен');
  });

  test('of news have the text, why they come, and where to switch them off', () => {
    const news = (languageCode: 'en' | 'ru') => {
      const values = { subject: 'New <i>countries</i>', html: ['<b>Portugal</b>'], text: 'Portugal', link };
      return renderMail(
        { template: 'news', to: 'reader@example.com', languageCode, values },
        { brandName: 'Hop & Sons', idleTimeoutMs: 0 },
      );
    };
    const { subject, text, html } = news('en');
    expect(subject).toBe('New <i>countries</i>');
    expect(text).toContain('Portugal\n\n--\nYou get this as a customer of Hop & Sons.');
    expect(text).toContain(` ${link}\n`);
    expect(html).toContain('<title>New &#60;i&#62;countries&#60;/i&#62;</title>');
    expect(html).toContain('<b>Portugal</b>');
    expect(html).toContain(`href="${link.replaceAll('&', '&#38;')}"`);
    expect(news('ru').text).toContain('Вы клиент Hop & Sons');
  });

  test('group the digits of large numbers', () => {
    const values = { link, ip: '203.0.113.7', usedMegabytes: 1600, capMegabytes: 2000 };
    const mail = (languageCode: 'en' | 'ru') =>
      renderMail(
        { template: 'near-cap', to: 'reader@example.com', languageCode, values },
        { brandName: 'Cellhop', idleTimeoutMs: 0 },
      ).text;
    expect(mail('en')).toContain('1,600 of 2,000 MB');
    expect(mail('ru')).toContain('1\u00A0600 из 2\u00A0000 МБ');
  });

  test('differ between the languages', () => {
    for (const template of templates) {
      const [en, ru] = (['en', 'ru'] as const).map((code) => render(template, code, 'Cellhop'));
      expect(ru!.text).toMatch(/[а-я]{5}/);
      expect(en!.text).not.toMatch(/[а-я]/);
    }
  });
});
