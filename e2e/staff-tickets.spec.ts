import { createCannedReply } from '@cellhop/contract/staff/canned-replies';
import { answerTicket } from '@cellhop/contract/staff/tickets';
import { createTicket, listTicketMessages, sendTicketMessage } from '@cellhop/contract/tickets';
import type { Page } from '@playwright/test';
import { mockResponses, refusal } from './gallery-screen.ts';
import { clickTwice, clientAs, createCustomer, enter, expect, PASSWORD, test } from './product.ts';
import { expectGood } from './screen-checks.ts';

const main = (page: Page) => page.getByRole('main');

/** Sends the form while a colleague answers. */
async function answerTwice(page: Page, answerAsColleague: () => Promise<unknown>): Promise<void> {
  // Refused before the page has received the other answer.
  const { restore } = await mockResponses(page, { '/messages': refusal(409, 'CHANGED_ELSEWHERE') });
  await main(page).getByRole('button', { name: 'Send', exact: true }).click();
  await expect(main(page).getByRole('alert')).toContainText('Someone else has replied');
  await restore();
  await answerAsColleague();
  await expect(main(page).getByRole('alert')).toContainText('admin@example.com has replied');
  await expect(main(page).getByText('Is the balance enough?')).toBeVisible();
  await clickTwice(main(page).getByRole('button', { name: 'Send anyway' }));
  await expect(main(page).getByLabel('Your reply')).toHaveValue('');
}

test('two members of staff work on a ticket', { tag: '@long' }, async ({ page, product }) => {
  const email = 'no-signal@example.com';
  await createCustomer(page, email, 'ru');
  const customer = await clientAs(email, product.url, PASSWORD);
  const colleague = await clientAs('admin@example.com', product.url);
  const body = { name: 'No signal in Lisbon', description: 'Since this morning.' };
  const { data: ticket } = await customer(createTicket, { body });
  const params = { id: ticket.id };
  const reply = { title: 'Please wait', contentEn: 'We are looking into it.', contentRu: 'Мы уже разбираемся.' };
  await colleague(createCannedReply, { body: reply });

  await test.step('it is in the view of waiting tickets', async () => {
    await enter(page, '/admin/tickets', 'support@example.com', 'demo-password');
    await expect(main(page).locator('a[aria-current]')).toHaveText(/^Waiting for us/);
    await expect(main(page).getByText('waits 1 min').first()).toBeVisible();
    await main(page).getByLabel('Words in the name').fill('lisb');
    await page.keyboard.press('Enter');
    await expect(main(page).getByRole('row')).toHaveCount(2);
    await main(page).getByRole('link', { name: body.name }).click();
    await expect(main(page).getByRole('heading', { name: body.name })).toBeVisible();
  });

  await test.step('the customer and their balance are beside it', async () => {
    const side = page.getByRole('complementary', { name: 'About the customer' });
    await expect(side).toContainText(email);
    // The trial credit of the promo code.
    await expect(side).toContainText('$1.00');
    await expect(side).toContainText('No active connections.');
  });

  await test.step('it is assigned, and gets an internal note', async () => {
    await clickTwice(main(page).getByRole('button', { name: 'Assign to me' }));
    await expect(main(page).getByRole('button', { name: 'Assign to me' })).toBeHidden();
    await main(page).getByLabel('New note').fill('Ask the operator');
    await clickTwice(main(page).getByRole('button', { name: 'Add note' }));
    await expect(main(page).getByText('Ask the operator')).toHaveCount(1);
    await expectGood(page, 'a ticket');
  });

  await test.step('a canned reply is in the language of the customer', async () => {
    await main(page).getByRole('combobox', { name: 'Insert a canned reply' }).click();
    await page.getByRole('option', { name: reply.title }).click();
    await expect(main(page).getByLabel('Your reply')).toHaveValue(reply.contentRu);
  });

  await test.step('an answer by somebody else is shown before the own one is sent', async () => {
    await answerTwice(page, () => colleague(answerTicket, { params, body: { content: 'Is the balance enough?' } }));
    const { data } = await customer(listTicketMessages, { params, query: {} });
    expect(data.map(({ content }) => content)).toEqual([reply.contentRu, 'Is the balance enough?']);
  });

  await test.step('messages appear without a reload, and the ticket is closed', async () => {
    await customer(sendTicketMessage, { params, body: { content: 'Спасибо!' } });
    await expect(main(page).getByText('Спасибо!')).toBeVisible();
    await main(page).getByLabel('Your reply').fill('Пожалуйста!');
    await clickTwice(main(page).getByRole('button', { name: 'Send and close' }));
    await expect(main(page).getByText('This ticket is closed.')).toBeVisible();
    await expect(main(page).getByLabel('Your reply')).toBeHidden();
  });
});
