import type { Mail } from '@cellhop/contract/development';

const MAILS_MAX = 200;

/** The mails received by this process, newest first. */
const mails: Mail[] = [];

export function addMail(mail: Mail): void {
  mails.unshift(mail);
  mails.length = Math.min(mails.length, MAILS_MAX);
}

export function listMails(): readonly Mail[] {
  return mails;
}
