import { describe, expect, test } from 'vitest';
import { renderMail, type MailTemplate } from './templates.ts';

const link = 'https://proxies.example/v1/auth/confirm-email?code=abc&x=1';
const cases = (['confirm-email', 'recover-password'] as MailTemplate[]).flatMap((template) =>
  (['en', 'ru'] as const).map((languageCode) => [template, languageCode] as const),
);

describe('mails', () => {
  test.each(cases)('%s in %s has the link in text and HTML, and the name of the brand', (template, languageCode) => {
    const mail = renderMail(template, languageCode, 'Hop & Sons', { link });
    expect(mail.subject).toContain('Hop & Sons');
    expect(mail.text).toContain(`\n\n${link}\n\n`);
    expect(mail.html).toContain(`href="${link.replaceAll('&', '&#38;')}"`);
    expect(mail.html).toContain('Hop &#38; Sons');
    expect(mail.html).toContain(`<html lang="${languageCode}">`);
  });

  test('never let a value become markup', () => {
    const { html } = renderMail('confirm-email', 'en', '<b>"Brand"</b>', {
      link: 'https://x/"><script>alert(1)</script>',
    });
    expect(html).not.toMatch(/<script|<b>|"Brand"/);
  });

  test('differ between the languages', () => {
    for (const template of ['confirm-email', 'recover-password'] as const) {
      const [en, ru] = (['en', 'ru'] as const).map((code) => renderMail(template, code, 'Cellhop', { link }));
      expect(ru!.text).toMatch(/[а-я]{5}/);
      expect(en!.text).not.toMatch(/[а-я]/);
    }
  });
});
