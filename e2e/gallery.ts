/**
 * `npm run screens`: a screenshot of every screen in each width, theme and language, for review before a release.
 * It tests nothing; the tests of the screens are in screens.long.spec.ts.
 */
import { createClient, type Call } from '@cellhop/contract/client';
import { connect, disconnect, type Connection } from '@cellhop/contract/connections';
import { createInvoice } from '@cellhop/contract/invoices';
import { LIVE_EVENTS_PATH } from '@cellhop/contract/live.values';
import { createTicket, sendTicketMessage } from '@cellhop/contract/tickets';
import { searchProxies } from '@cellhop/contract/proxies';
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { takeMails } from './gallery-mails.ts';
import { accountScreens, publicScreens } from './gallery-public.ts';
import { moneyScreens } from './gallery-money.ts';
import { mockResponses, type Screen } from './gallery-screen.ts';
import { staffDetailScreens, staffStates } from './gallery-staff.ts';
import { ticketScreens } from './gallery-tickets.ts';
import { isWanted, toIndex } from './gallery-index.ts';
import { takeLandingPictures } from './landing-pictures.ts';
import { menuPaths } from './menu.ts';
import { accessToken, enter, expect, test } from './product.ts';

const run = promisify(execFile);
const folder = '.data/screens';
const widths = [1440, 768, 390];
const themes = ['DARK', 'LIGHT'];
const languages = ['en', 'ru'];

const memberStates: Screen[] = [
  ...moneyScreens,
  { name: 'ticket-new', path: '/support/tickets?create=true' },
  {
    name: 'ticket',
    path: '/support/tickets',
    act: async (page) => {
      await page.locator('main ul li a').first().click();
      await expect(page.locator('main form')).toBeVisible();
    },
  },
  {
    name: 'notifications',
    path: '/proxies',
    act: (page) => page.getByRole('button', { name: /^(?:Notifications|Уведомления)/ }).click(),
  },
  ...ticketScreens,
];

/** Creates data: a running connection with traffic, an ended one, invoices. */
async function createData(call: Call): Promise<void> {
  const { data: proxies } = await call(searchProxies, { query: { country: ['DE', 'US'] } });
  const buy = async ({ id, price }: (typeof proxies)[number]) => (await call(connect, { body: { id, price } })).data;
  const running = await buy(proxies[0]!);
  const ended = await buy(proxies[1]!);
  await download(running, 7);
  await download(ended, 3);
  await call(disconnect, { params: { id: ended.id } });
  for (const currency of ['BTC', 'USDT_TRC20', 'LTC'] as const)
    await call(createInvoice, { body: { currency, amount: 25 } });
  const name = 'The first megabytes came slowly';
  const description = 'From Berlin to Berlin it took a second to open a page.\nLater it was fine.';
  const { data: ticket } = await call(createTicket, { body: { name, description } });
  for (const content of ['It happened again this morning.', 'Is there anything that I can set up differently?'])
    await call(sendTicketMessage, { params: { id: ticket.id }, body: { content } });
}

async function download({ host, port, username, password }: Connection, megabytes: number): Promise<void> {
  const target = `${origin}/dev/download/${megabytes}`;
  await run('curl', [
    '-sS',
    '-o',
    '/dev/null',
    '--noproxy',
    '',
    '-x',
    `socks5h://${username}:${password}@${host}:${port}`,
    target,
  ]);
}

let origin = '';

test('every screen', async ({ page, product }) => {
  test.setTimeout(3_600_000);
  origin = product.url;
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  // A page with an open event stream is never idle.
  await page.route(`**${LIVE_EVENTS_PATH}`, (route) => route.abort());
  const taken: string[] = [];

  const show = async ({ name, path: address, responses, act }: Screen, variant: string) => {
    const { isPending, restore } = await mockResponses(page, responses);
    await page.setViewportSize({ width: 1440, height: 900 });
    for (const width of widths) {
      await page.setViewportSize({ width, height: width < 600 ? 844 : 900 });
      // An address with a fragment would only scroll the page that is shown, with its open dialog.
      await page.goto('about:blank');
      await page.goto(address);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      if (!isPending) await page.waitForLoadState('networkidle');
      await act?.(page);
      if (isPending) await page.locator('[aria-busy=true]').first().waitFor();
      const file = `${name}-${variant}-${width}.png`;
      const hasDialog = (await page.getByRole('dialog').count()) > 0;
      await page.screenshot({ path: path.join(folder, file), fullPage: !hasDialog });
      taken.push(file);
    }
    await restore();
  };
  const inEachVariant = async (screens: Screen[]) => {
    for (const language of languages)
      for (const theme of themes) {
        await page.evaluate(
          (choice) => {
            for (const [key, value] of Object.entries(choice)) localStorage.setItem(key, JSON.stringify(value));
          },
          // One of the screens hides the menu.
          { language, theme, isMenuHidden: false },
        );
        for (const screen of screens.filter(({ name }) => isWanted(name)))
          await show(screen, `${language}-${theme.toLowerCase()}`);
      }
  };

  await page.goto('/favicon.svg');
  await inEachVariant(publicScreens);
  await enter(page, '/proxies', 'user@example.com', 'demo-password');
  const token = await accessToken(page);
  await createData(createClient({ baseUrl: product.url, headers: () => ({ authorization: `Bearer ${token}` }) }));
  if (isWanted('landing')) await takeLandingPictures(page);
  const customersMenu = (await menuPaths(page, 'customers')).map(screenAt);
  await inEachVariant([...customersMenu, ...memberStates, ...accountScreens]);
  await page.evaluate(() => localStorage.clear());
  await enter(page, '/admin', 'admin@example.com', 'demo-password');
  const staffMenu = (await menuPaths(page, 'staff')).map(screenAt);
  await inEachVariant([...staffMenu, ...staffStates, ...staffDetailScreens]);
  if (isWanted('mails')) taken.push(...(await takeMails(page, folder)));
  fs.writeFileSync(path.join(folder, 'index.html'), toIndex(taken));
});

/** A screen of the menu: `/support/tickets` is `support-tickets`. */
function screenAt(path: string): Screen {
  return { name: path.slice(1).replaceAll('/', '-'), path };
}
