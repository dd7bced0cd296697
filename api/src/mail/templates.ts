/** Renders mails as plain text and as simple HTML. */
import type { LanguageCode } from '@cellhop/contract/schemas';
import { balanceText, countText, durationText, totalText } from '@cellhop/contract/number-texts';
import { anchor, colours, escapeHtml, type MailContent, page, small } from './layout.ts';
import { type NewsMail, renderNews } from './news.ts';
import { mailTexts } from './texts.ts';

export type MailTemplate =
  | 'confirm-email'
  | 'recover-password'
  | 'second-factor-reset'
  | 'password-changed'
  | 'new-sign-in'
  | 'database-restored'
  | 'disk-full'
  | 'backup-late'
  | 'exits-failing'
  | 'certificate-ending'
  | 'certificate-expired'
  | 'second-factor-off'
  | 'account-deleted'
  | 'top-up'
  | 'ticket-answer'
  | 'ticket-opened'
  | AlertMail['template'];

/** Stored as JSON in the job. */
export type MailRequest = { to: string; languageCode: LanguageCode } & (
  | {
      template:
        | 'confirm-email'
        | 'recover-password'
        | 'second-factor-reset'
        | 'database-restored'
        | 'disk-full'
        | 'backup-late'
        | 'exits-failing'
        | 'certificate-ending'
        | 'certificate-expired';
      values: { link: string };
    }
  | { template: 'password-changed' | 'new-sign-in'; values: MailEvent & { link: string } }
  /** Without device and address: not by the user. */
  | {
      template: 'second-factor-off' | 'account-deleted';
      values: OwnEvent;
    }
  /** US dollars. */
  | { template: 'top-up'; values: { link: string; amount: number } }
  | { template: 'ticket-answer' | 'ticket-opened'; values: TicketText & { link: string } }
  | AlertMail
  | NewsMail
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

interface TicketText {
  /** Its name. */
  ticket: string;
  /** Plain text of several lines: of support, or of the customer who opens the ticket. */
  message: string;
}

/** A security-relevant event of the account. */
interface MailEvent {
  device: string;
  /** Empty if it is not known. */
  address: string;
  /** ISO 8601. */
  at: string;
}

interface OwnEvent {
  link: string;
  at: string;
  device?: string | undefined;
  address?: string | undefined;
}

interface Shop {
  brandName: string;
  idleTimeoutMs: number;
}

export function renderMail(request: MailRequest, { brandName, idleTimeoutMs }: Shop): MailContent {
  if (request.template === 'news') return renderNews(request.languageCode, request, brandName);
  const { languageCode, template, values } = request;
  const language = mailTexts[languageCode];
  const texts = language[template];
  const facts = toFacts(languageCode, values);
  const intro = texts.intro(brandName, {
    areMany: 'otherCount' in values && values.otherCount > 0,
    idleTime: durationText(languageCode, idleTimeoutMs / 1000),
  });
  const subject = texts.subject(brandName);
  const footer = language.footer(brandName);
  const factLines = facts.map(([name, value]) => `${name}: ${value}`);
  const message = 'message' in values ? values.message : undefined;
  const text = [
    texts.title,
    intro,
    ...(facts.length > 0 ? [factLines.join('\n')] : []),
    ...(message === undefined ? [] : [message]),
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
        paragraph(intro),
        ...(facts.length > 0 ? [list(facts)] : []),
        ...(message === undefined ? [] : [quotation(message)]),
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

function toFacts(languageCode: LanguageCode, values: Exclude<MailRequest, NewsMail>['values']): Fact[] {
  const { facts } = mailTexts[languageCode];
  if ('message' in values) return [[facts.ticket, values.ticket]];
  if ('amount' in values) return [[facts.credited, totalText(languageCode, values.amount)]];
  if ('balance' in values) return [[facts.balance, balanceText(languageCode, values.balance)]];
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
    return refund === 0 ? [proxy] : [proxy, [facts.refund, totalText(languageCode, refund)]];
  }
  if (!('at' in values)) return [];
  const { device, address, at } = values;
  const time: Fact = [facts.time, `${formatDate(at)} UTC`];
  if (device === undefined || address === undefined) return [time];
  return [
    time,
    [facts.device, facts.deviceName(device)],
    [facts.address, address === '' ? facts.unknownAddress : address],
  ];
}

/** `2026-11-21T18:05:09.000Z` -> `21.11.2026 18:05`, as the web app shows it. */
function formatDate(iso: string): string {
  const [day, time] = new Date(iso).toISOString().split('T') as [string, string];
  return `${day.split('-').toReversed().join('.')} ${time.slice(0, 5)}`;
}

function paragraph(text: string): string {
  return `<p style="margin:0 0 16px">${escapeHtml(text)}</p>`;
}

/** With its lines as they were written. */
function quotation(text: string): string {
  return `<p style="margin:0 0 16px;padding:2px 0 2px 14px;border-left:3px solid ${colours.border};white-space:pre-wrap;overflow-wrap:anywhere">${escapeHtml(text)}</p>`;
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
