/** The mails, as plain functions: a text for every reader, and the same as simple HTML. */
import type { LanguageCode } from '@cellhop/contract/schemas';
import { mailTexts } from './texts.ts';

export type MailTemplate = 'confirm-email' | 'recover-password' | 'password-changed' | 'new-sign-in';

/** JSON: it lies in the job until it is sent. */
export type MailOrder = { to: string; languageCode: LanguageCode } & (
  | { template: 'confirm-email' | 'recover-password'; values: { link: string } }
  | { template: 'password-changed' | 'new-sign-in'; values: MailEvent & { link: string } }
);

/** What was done, told to the owner of the account. */
interface MailEvent {
  device: string;
  /** Empty if it is not known. */
  address: string;
  /** ISO 8601. */
  at: string;
}

export interface MailContent {
  subject: string;
  text: string;
  html: string;
}

export function renderMail({ languageCode, template, values }: MailOrder, brandName: string): MailContent {
  const language = mailTexts[languageCode];
  const texts = language[template];
  const facts = 'at' in values ? factsOf(languageCode, values) : [];
  const subject = texts.subject(brandName);
  const footer = language.footer(brandName);
  const factLines = facts.map(([name, value]) => `${name}: ${value}`);
  const text = [
    texts.title,
    texts.intro(brandName),
    ...(facts.length > 0 ? [factLines.join('\n')] : []),
    ...texts.beforeLink,
    values.link,
    ...texts.afterLink,
    `--\n${footer}`,
  ];
  return {
    subject,
    text: `${text.join('\n\n')}\n`,
    html: page(languageCode, brandName, subject, [
      `<h1 style="margin:0 0 16px;font-size:22px;line-height:1.3">${escapeHtml(texts.title)}</h1>`,
      paragraph(texts.intro(brandName)),
      ...(facts.length > 0 ? [list(facts)] : []),
      ...texts.beforeLink.map(paragraph),
      button(values.link, texts.button),
      ...texts.afterLink.map(paragraph),
      `<p style="${small}">${escapeHtml(language.fallback)}<br>${anchor(values.link)}</p>`,
      `<p style="${small}">${escapeHtml(footer)}</p>`,
    ]),
  };
}

type Fact = readonly [name: string, value: string];

function factsOf(languageCode: LanguageCode, { device, address, at }: MailEvent): Fact[] {
  const { facts } = mailTexts[languageCode];
  const format = new Intl.DateTimeFormat(languageCode, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });
  return [
    [facts.time, `${format.format(new Date(at))} UTC`],
    [facts.device, facts.deviceName(device)],
    [facts.address, address === '' ? facts.unknownAddress : address],
  ];
}

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}

const small = 'margin:24px 0 0;font-size:13px;line-height:1.5;color:#5c6670;word-break:break-all';

function paragraph(text: string): string {
  return `<p style="margin:0 0 16px;font-size:16px;line-height:1.5">${escapeHtml(text)}</p>`;
}

function list(facts: readonly Fact[]): string {
  const lines = facts.map(([name, value]) => `${escapeHtml(name)}: <strong>${escapeHtml(value)}</strong>`);
  return `<p style="margin:0 0 16px;font-size:16px;line-height:1.7">${lines.join('<br>')}</p>`;
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
