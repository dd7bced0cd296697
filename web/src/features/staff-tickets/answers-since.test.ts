import type { StaffTicketMessage } from '@cellhop/contract/staff/tickets';
import { expect, it } from 'vitest';
import { answersSince } from './answers-since.ts';

function message(id: string, author: string, isUser = false): StaffTicketMessage {
  return { id, content: '', isUser, files: [], createdAt: '', author: { id: author, email: '' } };
}

const messages = [
  message('5', 'colleague'),
  message('4', 'customer', true),
  message('3', 'me'),
  message('2', 'colleague'),
  message('1', 'customer', true),
];

it.each([
  ['5', []],
  ['4', ['5']],
  ['1', ['5', '2']],
  [null, ['5', '2']],
])('since message %s other staff have sent %j', (seen, ids) => {
  expect(answersSince(messages, seen, 'me').map(({ id }) => id)).toEqual(ids);
});
