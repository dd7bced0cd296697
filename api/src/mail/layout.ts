/** The frame that all mails share. */
import type { LanguageCode } from '@cellhop/contract/schemas';

export interface MailContent {
  subject: string;
  text: string;
  html: string;
}

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}

/** Colours of the web app's light theme; mail clients invert them for dark mode. */
export const colours = {
  page: '#f4f7f5',
  card: '#ffffff',
  text: '#10201b',
  muted: '#50635c',
  border: '#dde5e1',
  accent: '#08704f',
};
export const small = `font-size:13px;line-height:1.5;color:${colours.muted}`;

/** Long links may break anywhere. */
export function anchor(link: string): string {
  return `<a href="${escapeHtml(link)}" target="_blank" rel="noopener" style="color:${colours.accent};word-break:break-all">${escapeHtml(link)}</a>`;
}

export function page(
  languageCode: LanguageCode,
  brandName: string,
  title: string,
  blocks: string[],
  footer: string,
): string {
  return `<!doctype html>
<html lang="${languageCode}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title></head>
<body style="margin:0;padding:24px 12px;background:${colours.page};color:${colours.text};font-family:system-ui,-apple-system,'Segoe UI',Roboto,Arial,sans-serif;font-size:15px;line-height:1.55">
<table role="presentation" align="center" width="100%" cellpadding="0" cellspacing="0" style="max-width:560px;margin:0 auto;font-size:inherit">
<tr><td style="padding:0 4px 16px;font-size:17px;font-weight:700;color:${colours.text}">${escapeHtml(brandName)}</td></tr>
<tr><td style="padding:28px 24px;background:${colours.card};border:1px solid ${colours.border};border-radius:16px">
${blocks.join('\n')}
</td></tr>
<tr><td style="padding:16px 4px 0;${small}">${escapeHtml(footer)}</td></tr>
</table>
</body>
</html>
`;
}
