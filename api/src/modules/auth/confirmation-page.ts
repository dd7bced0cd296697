/**
 * The page behind the link of a confirmation mail. Only its button confirms: mail scanners and link previews open links, and some of
 * them run scripts. It is served by the API and needs no script itself.
 */
import { CONFIRM_EMAIL_PATH } from '@cellhop/contract/auth';
import type { LanguageCode } from '@cellhop/contract/schemas';
import { colours, escapeHtml } from '../../mail/layout.ts';

interface Texts {
  title: string;
  text: (brandName: string) => string;
  button: string;
}

const texts: Record<LanguageCode, Texts> = {
  en: {
    title: 'Confirm your email',
    text: (brandName) =>
      `One more click, and your ${brandName} account is ready. If you did not sign up, close this page.`,
    button: 'Confirm email',
  },
  ru: {
    title: 'Подтвердите email',
    text: (brandName) =>
      `Ещё одно нажатие, и ваш аккаунт ${brandName} готов. Если вы не регистрировались, закройте эту страницу.`,
    button: 'Подтвердить email',
  },
};

const STYLE = `:root{color-scheme:light dark}
body{margin:0;padding:48px 16px;background:${colours.page};color:${colours.text};font:16px/1.55 system-ui,-apple-system,'Segoe UI',Roboto,Arial,sans-serif}
main{max-width:480px;margin:0 auto;padding:28px 24px;background:${colours.card};border:1px solid ${colours.border};border-radius:16px}
h1{margin:0 0 12px;font-size:24px;line-height:1.25}
p{margin:0 0 20px;overflow-wrap:anywhere}
button{min-height:44px;padding:10px 22px;border:0;border-radius:10px;background:${colours.accent};color:#fff;font:inherit;font-weight:600;cursor:pointer}
@media (prefers-color-scheme:dark){body{background:#101714;color:#e8f0ec}main{background:#18211d;border-color:#33403a}}`;

/** @param code of the link, which anybody may have written */
export function confirmationPage(languageCode: LanguageCode, brandName: string, code: string): string {
  const { title, text, button } = texts[languageCode];
  return `<!doctype html>
<html lang="${languageCode}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">
<link rel="manifest" href="/manifest.webmanifest"><link rel="apple-touch-icon" href="/icon-180.png"><link rel="icon" href="/favicon.svg" type="image/svg+xml">
<title>${escapeHtml(`${title} – ${brandName}`)}</title><style>${STYLE}</style></head>
<body><main><h1>${escapeHtml(title)}</h1><p>${escapeHtml(text(brandName))}</p>
<form method="post" action="${CONFIRM_EMAIL_PATH}"><input type="hidden" name="code" value="${escapeHtml(code)}">
<button type="submit">${escapeHtml(button)}</button></form></main></body>
</html>
`;
}
