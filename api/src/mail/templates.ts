/** Renders mails as plain text and as simple HTML. */
import type { LanguageCode } from '@cellhop/contract/schemas';
import { countText, dollarText } from '@cellhop/contract/number-texts';
import { mailTexts } from './texts.ts';

export type MailTemplate =
  | 'confirm-email'
  | 'recover-password'
  | 'password-changed'
  | 'new-sign-in'
  | AlertMail['template'];

/** Stored as JSON in the job. */
export type MailRequest = { to: string; languageCode: LanguageCode } & (
  | { template: 'confirm-email' | 'recover-password'; values: { link: string } }
  | { template: 'password-changed' | 'new-sign-in'; values: MailEvent & { link: string } }
  | AlertMail
);

/** About the user's money. */
export type AlertMail =
  /** US dollars. */
  | { template: 'low-balance'; values: { link: string; balance: number } }
  | { template: 'near-cap'; values: CapAlert & { link: string } }
  | { template: 'no-money' | 'ended-idle' | 'ended-exit-lost'; values: EndAlert & { link: string } };

interface CapAlert {
  /** The address of the proxy. */
  ip: string;
  usedMegabytes: number;
  capMegabytes: number;
}

interface EndAlert {
  /** The address of the first proxy. */
  ip: string;
  /** How many more connections have ended. */
  otherCount: number;
  /** US dollars, of all of them. */
  refund: number;
}

/** A security-relevant event of the account. */
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

export function renderMail({ languageCode, template, values }: MailRequest, brandName: string): MailContent {
  const language = mailTexts[languageCode];
  const texts = language[template];
  const facts = toFacts(languageCode, values);
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
    html: page(
      languageCode,
      brandName,
      subject,
      [
        `<h1 style="margin:0 0 16px;font-size:22px;line-height:1.25;letter-spacing:-0.02em">${escapeHtml(texts.title)}</h1>`,
        paragraph(texts.intro(brandName)),
        ...(facts.length > 0 ? [list(facts)] : []),
        ...texts.beforeLink.map(paragraph),
        button(values.link, texts.button),
        ...texts.afterLink.map(paragraph),
        `<p style="margin:24px 0 0;padding:20px 0 0;border-top:1px solid ${colours.border};${small}">${escapeHtml(language.fallback)}<br>${anchor(values.link)}</p>`,
      ],
      footer,
    ),
  };
}

type Fact = readonly [name: string, value: string];

function toFacts(languageCode: LanguageCode, values: MailRequest['values']): Fact[] {
  const { facts } = mailTexts[languageCode];
  if ('balance' in values) return [[facts.balance, dollarText(languageCode, values.balance)]];
  if ('capMegabytes' in values) {
    const { ip, usedMegabytes, capMegabytes } = values;
    return [
      [facts.proxy, ip],
      [
        facts.traffic,
        facts.trafficOfCap(countText(languageCode, usedMegabytes), countText(languageCode, capMegabytes)),
      ],
    ];
  }
  if ('otherCount' in values) {
    const { ip, otherCount, refund } = values;
    const proxy: Fact = [facts.proxy, otherCount === 0 ? ip : facts.withOthers(ip, otherCount)];
    return refund === 0 ? [proxy] : [proxy, [facts.refund, dollarText(languageCode, refund)]];
  }
  if (!('at' in values)) return [];
  const { device, address, at } = values;
  return [
    [facts.time, `${formatDate(at)} UTC`],
    [facts.device, facts.deviceName(device)],
    [facts.address, address === '' ? facts.unknownAddress : address],
  ];
}

/** `2026-11-21T18:05:09.000Z` -> `21.11.2026 18:05`, as the web app shows it. */
function formatDate(iso: string): string {
  const [day, time] = new Date(iso).toISOString().split('T') as [string, string];
  return `${day.split('-').toReversed().join('.')} ${time.slice(0, 5)}`;
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
const small = `font-size:13px;line-height:1.5;color:${colours.muted}`;

function paragraph(text: string): string {
  return `<p style="margin:0 0 16px">${escapeHtml(text)}</p>`;
}

function list(facts: readonly Fact[]): string {
  const rows = facts.map(
    ([name, value]) =>
      `<tr><td style="padding:3px 20px 3px 0;color:${colours.muted};vertical-align:top">${escapeHtml(name)}</td><td style="padding:3px 0;word-break:break-word"><strong>${escapeHtml(value)}</strong></td></tr>`,
  );
  return `<table role="presentation" cellpadding="0" cellspacing="0" style="margin:0 0 16px;font-size:inherit">${rows.join('')}</table>`;
}

/** A table, because some mail clients ignore the padding of links. */
function button(link: string, label: string): string {
  return `<table role="presentation" cellpadding="0" cellspacing="0" style="margin:24px 0"><tr>
<td style="border-radius:10px;background:${colours.accent}"><a href="${escapeHtml(link)}" target="_blank" rel="noopener"
 style="display:inline-block;padding:11px 22px;font-size:15px;font-weight:600;color:#ffffff;text-decoration:none">${escapeHtml(label)}</a></td>
</tr></table>`;
}

/** Long links may break anywhere. */
function anchor(link: string): string {
  return `<a href="${escapeHtml(link)}" target="_blank" rel="noopener" style="color:${colours.accent};word-break:break-all">${escapeHtml(link)}</a>`;
}

function page(languageCode: LanguageCode, brandName: string, title: string, blocks: string[], footer: string): string {
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
