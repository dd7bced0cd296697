import type { LanguageCode } from '@cellhop/contract/schemas';
import type { MailTemplate } from './templates.ts';
import { en } from './english-texts.ts';
import { ru } from './russian-texts.ts';

interface MailTexts {
  subject(brandName: string): string;
  title: string;
  /** @param ended what an email about ended connections says of them */
  intro(brandName: string, ended: { areMany: boolean; idleTime: string }): string;
  /** Paragraphs between the intro and the link, and after the link. */
  beforeLink: string[];
  button: string;
  afterLink: string[];
}

export type LanguageTexts = Record<MailTemplate, MailTexts> & {
  facts: {
    time: string;
    device: string;
    address: string;
    unknownAddress: string;
    /** The label of a device is English: "Firefox on Windows". */
    deviceName(label: string): string;
    balance: string;
    proxy: string;
    traffic: string;
    trafficOfCap(usedMegabytes: string, capMegabytes: string): string;
    withOthers(ip: string, otherCount: number): string;
    refund: string;
    credited: string;
    ticket: string;
  };
  /** Precedes the plain link, for mail clients that show no button. */
  fallback: string;
  footer(brandName: string): string;
  /** Why the customer gets news by email; a link to the setting follows. */
  newsReason(brandName: string): string;
};

export const mailTexts: Record<LanguageCode, LanguageTexts> = { en, ru };
