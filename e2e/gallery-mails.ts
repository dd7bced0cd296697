/** Screenshots of the emails. */
import { mailboxSchema, type Mail } from '@cellhop/contract/development';
import { languageCodeSchema } from '@cellhop/contract/schemas';
import type { Page } from '@playwright/test';
import path from 'node:path';
import { createCustomer, expect, PASSWORD } from './product.ts';

const widths = [1440, 390];
const devices = {
  known: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  unknown: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:142.0) Gecko/20100101 Firefox/142.0',
};

/** @returns the file names */
export async function takeMails(page: Page, folder: string): Promise<string[]> {
  const taken: string[] = [];
  for (const languageCode of languageCodeSchema.options) {
    const email = `mails-in-${languageCode}@example.com`;
    let count = 0;
    const post = async (address: string, data: object, userAgent = devices.known) =>
      expect((await page.request.post(address, { data, headers: { 'user-agent': userAgent } })).ok()).toBe(true);
    const signIn = (password: string, device: string) => post('/v1/auth/sign-in', { email, password }, device);
    /** The next email that arrives. */
    const nextMail = async () => {
      count += 1;
      let mails: Mail[] = [];
      await expect
        .poll(async () => {
          const response = await page.request.get('/dev/mailbox', { headers: { accept: 'application/json' } });
          mails = mailboxSchema.parse(await response.json()).filter(({ to }) => to === email);
          return mails.length;
        })
        .toBe(count);
      return mails[0]!;
    };
    const take = async (name: string, { html }: Mail) => {
      await page.setContent(html);
      for (const width of widths) {
        await page.setViewportSize({ width, height: 700 });
        const file = `${name}-${languageCode}-${width}.png`;
        await page.screenshot({ path: path.join(folder, file), fullPage: true });
        taken.push(file);
      }
    };

    await createCustomer(page, email, languageCode);
    await take('mail-confirm-email', await nextMail());
    await signIn(PASSWORD, devices.known);
    await signIn(PASSWORD, devices.unknown);
    await take('mail-new-sign-in', await nextMail());
    await post('/v1/auth/recovery-password', { email });
    const recovery = await nextMail();
    await take('mail-recover-password', recovery);
    const code = new URL(recovery.links[0]!).searchParams.get('code');
    await post('/v1/auth/recovery-password/set-password', { code, password: `another ${PASSWORD}` });
    await take('mail-password-changed', await nextMail());
  }
  return taken;
}
