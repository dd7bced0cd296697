import type { Output } from '@cellhop/contract/endpoint';
import type { CreateTicketBody, Ticket, TicketMessage } from '@cellhop/contract/support';
import {
  createTicket,
  sendTicketMessage,
  getTicket,
  listTicketMessages,
  listTickets,
  closeTicket,
} from '@cellhop/contract/support.plain';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../lib/http.ts';
import { keysByContent } from '../../lib/unique-key.ts';
import { apiQuery, CALM_INTERVAL_MS, queryClient } from '../../lib/query.ts';

type MessagesAnswer = Output<typeof listTicketMessages>;

export function useTickets(page: number) {
  return useQuery({
    ...apiQuery(listTickets, { query: { page } }),
    placeholderData: keepPreviousData,
    refetchInterval: CALM_INTERVAL_MS,
  });
}

export function useTicket(id: string) {
  return useQuery({ ...ticketQuery(id), refetchInterval: CALM_INTERVAL_MS });
}

export function useMessages(id: string, page: number) {
  return useQuery({
    ...messagesQuery(id, page),
    placeholderData: keepPreviousData,
    refetchInterval: CALM_INTERVAL_MS,
  });
}

/** The new ticket is remembered, so that its page opens without asking for it again. */
export function useCreateTicket() {
  const [keyOf] = useState(keysByContent);
  return useMutation({
    mutationFn: async (body: CreateTicketBody) =>
      (await call(createTicket, { body }, { headers: { 'idempotency-key': keyOf(body) } })).data,
    onSuccess: (ticket) => {
      rememberTicket(ticket);
      queryClient.setQueryData<MessagesAnswer>(messagesQuery(ticket.id, 1).queryKey, { data: [], totalPages: 0 });
      void queryClient.invalidateQueries({ queryKey: [listTickets.url] });
    },
  });
}

export function useCloseTicket(id: string) {
  return useMutation({
    mutationFn: async () => (await call(closeTicket, { params: { id }, body: { status: 'CLOSED' } })).data,
    onSuccess: async (ticket) => {
      await queryClient.cancelQueries({ queryKey: ticketQuery(id).queryKey });
      rememberTicket(ticket);
      void queryClient.invalidateQueries({ queryKey: [listTickets.url] });
    },
    // Somebody else may have closed it meanwhile.
    onError: () => queryClient.invalidateQueries({ queryKey: ticketQuery(id).queryKey }),
  });
}

export function useSendMessage(id: string) {
  const [keyOf, setKeyOf] = useState(keysByContent);
  return useMutation({
    mutationFn: async (content: string) => {
      const headers = { 'idempotency-key': keyOf(content) };
      return (await call(sendTicketMessage, { params: { id }, body: { content } }, { headers })).data;
    },
    onSuccess: async (message) => {
      // The same words once more are a message of their own.
      setKeyOf(keysByContent);
      await queryClient.cancelQueries({ queryKey: messagesQuery(id, 1).queryKey });
      prepend(id, message);
    },
    onError: () => queryClient.invalidateQueries({ queryKey: ticketQuery(id).queryKey }),
  });
}

function ticketQuery(id: string) {
  return apiQuery(getTicket, { params: { id } });
}

function messagesQuery(id: string, page: number) {
  return apiQuery(listTicketMessages, { params: { id }, query: { page } });
}

function rememberTicket(ticket: Ticket): void {
  queryClient.setQueryData<Output<typeof getTicket>>(ticketQuery(ticket.id).queryKey, { data: ticket });
}

function prepend(id: string, message: TicketMessage): void {
  queryClient.setQueryData<MessagesAnswer>(messagesQuery(id, 1).queryKey, (answer) =>
    answer === undefined
      ? answer
      : {
          totalPages: Math.max(1, answer.totalPages),
          data: [message, ...answer.data.filter((each) => each.id !== message.id)],
        },
  );
}
