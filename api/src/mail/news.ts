/** A message of the shop to many customers, as an email. */
import type { LanguageCode } from '@cellhop/contract/schemas';
import { anchor, escapeHtml, type MailContent, page, small, colours } from './layout.ts';
import { mailTexts } from './texts.ts';

export interface NewsMail {
  template: 'news';
  values: {
    subject: string;
    /** Sanitized blocks. */
    html: string[];
    text: string;
    /** Switches such mails off. */
    link: string;
  };
}

export function renderNews(languageCode: LanguageCode, { values }: NewsMail, brandName: string): MailContent {
  const language = mailTexts[languageCode];
  const { subject, html, text, link } = values;
  const [reason, footer] = [language.newsReason(brandName), language.footer(brandName)];
  return {
    subject,
    text: `${[text, `--\n${reason} ${link}`, footer].join('\n\n')}\n`,
    html: page(
      languageCode,
      brandName,
      subject,
      [
        ...html.map((block) => `<div style="margin:0 0 16px">${block}</div>`),
        `<p style="margin:24px 0 0;padding:20px 0 0;border-top:1px solid ${colours.border};${small}">${escapeHtml(reason)}<br>${anchor(link)}</p>`,
      ],
      footer,
    ),
  };
}
