import type { Ticket, TicketMessage } from '@cellhop/contract/tickets';
import { cleanup, within } from '@testing-library/react';
import { expect, it, onTestFinished, vi } from 'vitest';
import { type Answers, clickTwice, openApp, refusal } from '../../../test/open-app.tsx';

const ID = '00000000-0000-4000-8000-000000000001';
const ticket: Ticket = {
  id: ID,
  name: 'Нет связи',
  description: 'С самого утра.',
  status: 'OPEN',
  createdAt: '2026-11-21T09:41:00.000Z',
};
const TICKETS = '/v1/support/tickets';

it('shows a failure, mistakes and a limit in Russian', { tags: ['thorough'] }, async () => {
  const { api, screen, user } = await openApp('/support/tickets', {
    language: 'ru',
    answers: { [`GET ${TICKETS}`]: refusal(500, 'INTERNAL') },
  });
  expect((await screen.findByRole('alert')).textContent).toContain('Не удалось загрузить обращения');
  api.set({ [`GET ${TICKETS}`]: { data: [], totalPages: 0 } });
  await user.click(screen.getByRole('button', { name: 'Повторить' }));
  await expect.poll(() => screen.queryByRole('alert')).toBeNull();

  await user.click(screen.getAllByRole('button', { name: 'Новое обращение' })[0]!);
  const dialog = within(await screen.findByRole('dialog'));
  const submit = await dialog.findByRole('button', { name: 'Создать обращение' });
  await user.click(submit);
  expect(await dialog.findAllByText('Обязательное поле')).toHaveLength(2);
  await user.type(dialog.getByLabelText(/^Тема/), 'Нет');
  await user.type(dialog.getByLabelText(/^Описание/), '      ');
  await dialog.findByText('Минимальная длина 5');
  await dialog.findByText('Поле не может состоять из одних пробелов');
  const limited = refusal(429, 'RATE_LIMITED');
  limited.headers.set('retry-after', '780');
  api.set({ [`POST ${TICKETS}`]: limited });
  await user.type(dialog.getByLabelText(/^Тема/), ' связи');
  await user.type(dialog.getByLabelText(/^Описание/), 'С самого утра.');
  await user.click(submit);
  expect((await dialog.findByRole('alert')).textContent).toContain('Попробуйте через 13 минут или');
});

it('keeps a message that was refused, in Russian', async () => {
  const { screen, user } = await openApp(`/support/tickets/${ID}`, {
    language: 'ru',
    answers: {
      [`GET ${TICKETS}`]: { data: [ticket], totalPages: 1 },
      [`GET ${TICKETS}/${ID}`]: { data: ticket },
      [`GET ${TICKETS}/${ID}/messages`]: { data: [], totalPages: 0 },
      [`POST ${TICKETS}/${ID}/messages`]: refusal(409, 'TICKET_CLOSED'),
    },
  });
  const message = await screen.findByLabelText<HTMLTextAreaElement>(/^Ваше сообщение/);
  await user.type(message, 'Ещё вопрос');
  await user.click(screen.getByRole('button', { name: 'Отправить' }));
  await screen.findByText('Это обращение уже закрыто');
  expect(message.value).toBe('Ещё вопрос');
  await user.click(screen.getByRole('button', { name: 'Закрыть обращение' }));
  await within(await screen.findByRole('dialog')).findByRole('heading', { name: 'Закрыть обращение?' });
});

it('says that a ticket of another user does not exist, in Russian', async () => {
  const { screen } = await openApp(`/support/tickets/${ID}`, {
    language: 'ru',
    answers: {
      [`GET ${TICKETS}/${ID}`]: refusal(404, 'NOT_FOUND'),
      [`GET ${TICKETS}/${ID}/messages`]: refusal(404, 'NOT_FOUND'),
    },
  });
  expect((await screen.findByRole('alert')).textContent).toContain('Обращение не найдено.');
});

const question: Ticket = { ...ticket, name: 'Why was I charged?', description: 'Two megabytes more\nthan I think.' };

function message(number: number, content: string, isUser = true): TicketMessage {
  return {
    id: `00000000-0000-4000-8000-0000000001${number}`,
    content,
    isUser,
    files: [],
    createdAt: question.createdAt,
  };
}

/** The region of toasts has the same name. */
const findMessages = (main: HTMLElement) => within(main).getByRole('region', { name: 'Conversation' });

function limited(): Response {
  const response = refusal(429, 'RATE_LIMITED');
  response.headers.set('retry-after', '780');
  return response;
}

/** An API that remembers one ticket and its messages. */
function conversation(): Answers {
  let shown = question;
  const messages: TicketMessage[] = [];
  return {
    [`GET ${TICKETS}`]: () => ({ data: [shown], totalPages: 1 }),
    [`POST ${TICKETS}`]: () => ({ data: shown }),
    [`GET ${TICKETS}/${ID}`]: () => ({ data: shown }),
    [`PATCH ${TICKETS}/${ID}`]: () => {
      shown = { ...shown, status: 'CLOSED' };
      return { data: shown };
    },
    [`GET ${TICKETS}/${ID}/messages`]: () => ({ data: [...messages], totalPages: 1 }),
    [`POST ${TICKETS}/${ID}/messages`]: ({ body }) => {
      messages.unshift(message(messages.length, (body as { content: string }).content));
      return { data: messages[0] };
    },
  };
}

it('opens the page of a new ticket without another request, and one ticket for a double click', async () => {
  const { api, fill, screen, user } = await openApp('/support/tickets', {
    answers: { ...conversation(), [`GET ${TICKETS}`]: { data: [], totalPages: 0 } },
  });
  await screen.findByText(/^You have no tickets yet/);
  await user.click(screen.getAllByRole('button', { name: 'New ticket' })[0]!);
  const dialog = within(await screen.findByRole('dialog'));
  await fill(await dialog.findByLabelText('Name'), question.name);
  await fill(dialog.getByLabelText('Description'), question.description);
  api.requests.length = 0;
  clickTwice(dialog.getByRole('button', { name: 'Create ticket' }));
  await screen.findByRole('heading', { name: question.name });
  await screen.findByText('No messages yet.');
  expect(location.pathname).toBe(`/support/tickets/${ID}`);
  expect(api.requests.filter((request) => request.includes('/v1/support/'))).toEqual([`POST ${TICKETS}`]);
  expect(screen.getByRole('navigation', { name: 'Breadcrumbs' }).textContent).toContain(question.name);
});

it(
  'sends messages once, by button and by keyboard, keeps a draft, and links addresses',
  { tags: ['thorough'] },
  async () => {
    const answers = conversation();
    const { api, fill, screen, user } = await openApp(`/support/tickets/${ID}`, { answers });
    const field = await screen.findByLabelText<HTMLTextAreaElement>('Your message');
    const send = screen.getByRole('button', { name: 'Send' });
    await user.click(send);
    await screen.findByText('Required field');

    let respond!: () => void;
    const responded = new Promise<void>((resolve) => (respond = resolve));
    const post = `POST ${TICKETS}/${ID}/messages`;
    const answer = answers[post] as (request: object) => object;
    api.set({ [post]: (request) => responded.then(() => answer(request)) });
    await fill(field, 'First');
    send.focus();
    await user.keyboard('{Enter}');
    await expect.poll(() => send.getAttribute('aria-busy')).toBe('true');
    expect(document.activeElement).toBe(send);
    respond();
    await expect.poll(() => field.value).toBe('');
    expect(document.activeElement).toBe(send);

    await fill(field, 'Second, see https://example.org/more');
    await user.keyboard('{Control>}{Enter}{/Control}');
    const items = () => within(findMessages(screen.getByRole('main'))).getAllByRole('listitem');
    await expect.poll(() => items().length).toBe(2);
    expect(items()[0]?.textContent).toMatch(/^You.*Second, see/);
    expect(items()[0]?.dataset['side']).toBe('right');
    expect(items()[1]?.textContent).toMatch(/^You.*First$/);
    expect(within(items()[0]!).getByRole('link').getAttribute('href')).toBe('https://example.org/more');

    api.set({ [post]: limited() });
    await fill(field, 'One more thing');
    clickTwice(send);
    await screen.findByText(/Your text is saved: send it in 13 minutes\./);
    expect(field.value).toBe('One more thing');
    expect(api.requests.filter((request) => request === post)).toHaveLength(3);
    await user.click(screen.getAllByRole('link', { name: 'Support tickets' })[0]!);
    await user.click(await screen.findByRole('link', { name: `View: ${question.name}` }));
    const draft = await screen.findByLabelText<HTMLTextAreaElement>('Your message');
    expect(draft.value).toBe('One more thing');
  },
);

it('is closed once, after a confirmation that Cancel leaves', async () => {
  const { api, screen, user } = await openApp(`/support/tickets/${ID}`, { answers: conversation() });
  const close = await screen.findByRole('button', { name: 'Close ticket' });
  await user.click(close);
  const asked = within(await screen.findByRole('dialog'));
  asked.getByRole('heading', { name: 'Close this ticket?' });
  await expect.poll(() => document.activeElement).toBe(asked.getByRole('button', { name: 'Cancel' }));
  await user.keyboard('{Enter}');
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull();
  await expect.poll(() => document.activeElement).toBe(close);
  await user.keyboard('{Enter}');
  clickTwice(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Close ticket' }));
  await screen.findByText(/^This ticket is closed/);
  expect(screen.queryByLabelText('Your message')).toBeNull();
  await expect.poll(() => screen.queryByRole('button', { name: 'Close ticket' })).toBeNull();
  expect(api.requests.filter((request) => request.startsWith('PATCH'))).toHaveLength(1);
  expect(document.activeElement).toBe(screen.getByRole('heading', { name: question.name }));
  await user.click(screen.getByRole('link', { name: 'Create a new ticket' }));
  await screen.findByRole('dialog', { name: 'New ticket' });
});

it.each([
  ['en', 'Active', 'View', 'New ticket'],
  ['ru', 'Активно', 'Посмотреть', 'Новое обращение'],
] as const)(
  'says different words for a state, a link and what creates, in %s',
  async (language, state, link, create) => {
    const answers = { [`GET ${TICKETS}`]: { data: [ticket], totalPages: 1 } };
    const { screen } = await openApp('/support/tickets', { language, answers });
    const opener = await screen.findByRole('link', { name: `${link}: ${ticket.name}` });
    expect(opener.textContent).toBe(link);
    expect(within(opener.closest('li')!).getByText(state)).toBeTruthy();
    screen.getByRole('button', { name: create });
  },
);

it('names the keys that send a message, but not where a finger points', async () => {
  const { screen } = await openApp(`/support/tickets/${ID}`, { answers: conversation() });
  await screen.findByText('Ctrl+Enter sends it');
  cleanup();
  const touch = vi.spyOn(navigator, 'maxTouchPoints', 'get').mockReturnValue(5);
  onTestFinished(() => touch.mockRestore());
  const phone = await openApp(`/support/tickets/${ID}`, { answers: conversation(), width: 390 });
  await phone.screen.findByLabelText('Your message');
  expect(phone.screen.queryByText('Ctrl+Enter sends it')).toBeNull();
});

it('has pages of tickets and of messages in the address', { tags: ['thorough'] }, async () => {
  const tickets = Array.from({ length: 9 }, (_, index) => ({
    ...question,
    id: ID.replace(/1$/, String(index + 1)),
    status: index === 0 ? ('OPEN' as const) : ('CLOSED' as const),
  }));
  const { api, screen, user } = await openApp('/support/tickets', {
    answers: {
      ...conversation(),
      [`GET ${TICKETS}`]: ({ url }) => ({ data: url.searchParams.get('page') === '9' ? [] : tickets, totalPages: 3 }),
      [`GET ${TICKETS}/${ID}/messages`]: { data: [message(1, 'Ok', false), message(2, 'Thanks')], totalPages: 4 },
    },
  });
  const pages = async () => within(await screen.findByRole('navigation', { name: 'Pages' }));
  await user.click((await pages()).getByRole('button', { name: 'Page 3' }));
  await expect.poll(() => location.search).toBe('?page=3');
  await expect.poll(() => api.requests.some((request) => request.startsWith(`GET ${TICKETS}?page=3`))).toBe(true);
  history.back();
  await expect.poll(() => location.search).toBe('');
  const links = await screen.findAllByRole('link', { name: /^View: / });
  expect(links).toHaveLength(9);
  expect(links[8]?.closest('li')?.textContent).toContain('Closed');
  await user.click(links[0]!);
  await screen.findByText('Thanks');
  const list = within(findMessages(screen.getByRole('main')));
  await expect.poll(() => list.getAllByRole('listitem')[0]?.textContent).toMatch(/^Support team.*Ok$/);
  expect(list.getAllByRole('listitem')[0]?.dataset['side']).toBe('left');
  await user.click((await pages()).getByRole('button', { name: 'Page 4' }));
  await expect.poll(() => location.search).toBe('?page=4');
  expect((await pages()).getByRole('button', { name: 'Page 4' }).getAttribute('aria-current')).toBe('page');
});

it('leads from a page after the last one to the last one', async () => {
  const { screen, user } = await openApp('/support/tickets?page=9', {
    answers: {
      [`GET ${TICKETS}`]: ({ url }) => ({
        data: url.searchParams.get('page') === '9' ? [] : [question],
        totalPages: 3,
      }),
    },
  });
  await screen.findByText('Page 9 no longer exists.');
  await user.click(screen.getByRole('button', { name: 'Go to the last page' }));
  await expect.poll(() => location.search).toBe('?page=3');
  await screen.findByRole('link', { name: `View: ${question.name}` });
});
