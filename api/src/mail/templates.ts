/** The mails, as plain functions: a text for every reader, and the same as simple HTML. */
import type { LanguageCode } from '@cellhop/contract/schemas';
import { mailTexts } from './texts.ts';

export type MailTemplate = 'confirm-email' | 'recover-password';

export interface MailValues {
  link: string;
}

export interface MailContent {
  subject: string;
  text: string;
  html: string;
}

export function renderMail(
  template: MailTemplate,
  languageCode: LanguageCode,
  brandName: string,
  { link }: MailValues,
): MailContent {
  const texts = mailTexts[languageCode][template];
  const subject = texts.subject(brandName);
  const footer = mailTexts[languageCode].footer(brandName);
  return {
    subject,
    text:
      [texts.title, texts.intro(brandName), link, texts.lifetime, texts.ignore, `--\n${footer}`].join('\n\n') + '\n',
    html: page(languageCode, brandName, subject, [
      `<h1 style="margin:0 0 16px;font-size:22px;line-height:1.3">${escapeHtml(texts.title)}</h1>`,
      paragraph(texts.intro(brandName)),
      button(link, texts.button),
      paragraph(texts.lifetime),
      paragraph(texts.ignore),
      `<p style="${small}">${escapeHtml(mailTexts[languageCode].fallback)}<br>${anchor(link)}</p>`,
      `<p style="${small}">${escapeHtml(footer)}</p>`,
    ]),
  };
}

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}

const small = 'margin:24px 0 0;font-size:13px;line-height:1.5;color:#5c6670;word-break:break-all';

function paragraph(text: string): string {
  return `<p style="margin:0 0 16px;font-size:16px;line-height:1.5">${escapeHtml(text)}</p>`;
}

/** A table, because some readers of mail ignore the padding of links. */
function button(link: string, label: string): string {
  return `<table role="presentation" cellpadding="0" cellspacing="0" style="margin:24px 0"><tr>
<td style="border-radius:8px;background:#0b7285"><a href="${escapeHtml(link)}" target="_blank" rel="noopener"
 style="display:inline-block;padding:12px 24px;font-size:16px;font-weight:600;color:#ffffff;text-decoration:none">${escapeHtml(label)}</a></td>
</tr></table>`;
}

function anchor(link: string): string {
  return `<a href="${escapeHtml(link)}" target="_blank" rel="noopener" style="color:#0b7285">${escapeHtml(link)}</a>`;
}

function page(languageCode: LanguageCode, brandName: string, title: string, blocks: string[]): string {
  return `<!doctype html>
<html lang="${languageCode}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title></head>
<body style="margin:0;padding:24px 12px;background:#f1f3f5;color:#1f2933;font-family:system-ui,-apple-system,'Segoe UI',Roboto,Arial,sans-serif">
<table role="presentation" align="center" width="100%" cellpadding="0" cellspacing="0" style="max-width:560px;margin:0 auto">
<tr><td style="padding:0 8px 16px;font-size:18px;font-weight:700;color:#0b7285">${escapeHtml(brandName)}</td></tr>
<tr><td style="padding:32px;background:#ffffff;border-radius:12px">
${blocks.join('\n')}
</td></tr>
</table>
</body>
</html>
`;
}
