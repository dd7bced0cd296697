import { getAlertSettings, saveAlertSettings, UNSUBSCRIBE_PATH } from '@cellhop/contract/alerts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createUser, type TestUser } from '../../../test/factories.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { readUnsubscribeCode, unsubscribeLink } from '../../mail/unsubscribe-link.ts';

let testApp: TestApp;
beforeAll(async () => void (testApp = await startTestApp()));
afterAll(() => testApp.stop());

/** The link in their emails, at the address of the test. */
const linkOf = ({ id }: TestUser) => unsubscribeLink({ ...testApp.ctx.config, publicUrl: testApp.url }, id);
const settingsOf = async (user: TestUser) => (await user.call(getAlertSettings, {})).data;
const getsNews = async (user: TestUser) => (await settingsOf(user)).isNewsMailed;

/** As mail programs do; undefined: as the button of the page does, whose form has no fields. */
function post(link: string, field?: 'multipart' | 'urlencoded'): Promise<Response> {
  const body = field === 'multipart' ? new FormData() : new URLSearchParams();
  if (field !== undefined) body.append('List-Unsubscribe', 'One-Click');
  return fetch(link, { method: 'POST', redirect: 'manual', body });
}

describe('the link of an email of a broadcast', () => {
  test('opens a page in the language of the reader, which alone changes nothing', async () => {
    const [english, russian] = [await createUser(testApp), await createUser(testApp, { languageCode: 'ru' })];
    const response = await fetch(linkOf(english));
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const html = await response.text();
    expect(html).toContain('<h1>Stop emails with news?</h1>');
    // Only a script or a second request to the same path would change something.
    expect(html).not.toContain('<script');
    expect(html).not.toContain(english.email);
    expect(await (await fetch(linkOf(russian))).text()).toContain('<h1>Отказаться от писем с новостями?</h1>');
    expect(await getsNews(english)).toBe(true);
  });

  test('switches the emails off by its button, which keeps all other choices', async () => {
    const user = await createUser(testApp);
    const mails = { isTicketMailed: false, isTopUpMailed: true };
    const endMails = { noMoney: false, idle: true, exitLost: false };
    const chosen = { lowBalance: 5, isMailed: false, endMails, ...mails };
    await user.call(saveAlertSettings, { body: { ...chosen, isNewsMailed: true } });
    const page = await (await fetch(linkOf(user))).text();
    const action = /action="([^"]+)"/.exec(page)![1]!.replaceAll('&#38;', '&');
    const response = await post(testApp.url + action);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('<h1>You get no more emails with news</h1>');
    expect(await settingsOf(user)).toEqual({ ...chosen, isNewsMailed: false });
  });

  test.each(['urlencoded', 'multipart'] as const)('is posted by mail programs as %s, repeatedly', async (field) => {
    const [user, other] = [await createUser(testApp), await createUser(testApp)];
    for (const attempt of [1, 2]) {
      const response = await post(linkOf(user), field);
      expect([attempt, response.status]).toEqual([attempt, 200]);
    }
    expect(await getsNews(user)).toBe(false);
    expect(await getsNews(other)).toBe(true);
  });

  test('works for blocked users, and after the change of SECRET_KEY while the old key is kept', async () => {
    const user = await createUser(testApp);
    await testApp.database.query(`update users set status = 'BLOCKED' where id = $1`, [user.id]);
    expect((await post(linkOf(user), 'urlencoded')).status).toBe(200);
    const code = new URL(linkOf(user)).searchParams.get('code')!;
    const [secretKey] = testApp.ctx.config.secretKeys;
    expect(readUnsubscribeCode(['y'.repeat(32), secretKey], code)).toBe(user.id);
    expect(readUnsubscribeCode(['y'.repeat(32)], code)).toBeUndefined();
  });

  test('is refused if it is not ours, incomplete, or of a deleted account', async () => {
    const [user, other] = [await createUser(testApp), await createUser(testApp)];
    const link = linkOf(user);
    const forged = link.replace(user.id, other.id);
    const deleted = await createUser(testApp);
    await testApp.database.query(`update users set status = 'DELETED', deleted_at = now() where id = $1`, [deleted.id]);
    for (const bad of [forged, link.slice(0, -1), `${testApp.url}${UNSUBSCRIBE_PATH}?code=.`, linkOf(deleted)])
      for (const response of [await fetch(bad), await post(bad, 'urlencoded')]) {
        expect(response.status).toBe(404);
        expect(await response.text()).toContain('This link is not valid');
      }
    expect((await fetch(testApp.url + UNSUBSCRIBE_PATH)).status).toBe(400);
    expect([await getsNews(user), await getsNews(other)]).toEqual([true, true]);
  });
});
