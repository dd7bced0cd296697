import type { EndpointOutput } from '@cellhop/contract/endpoints';
import type { CreateTicketBody, Ticket, TicketFile, TicketMessage, TicketMessageBody } from '@cellhop/contract/tickets';
import { useTranslation } from 'react-i18next';
import { errorText, toLimitMinutes } from '../../data/error-text.ts';
import { callForData } from '../../data/http.ts';
import { apiQuery, type Dependencies, pageQuery, queryClient } from '../../data/query.ts';
import { withoutOwnEvent } from '../../live/own-events.ts';
import { showToast } from '../../ui/toasts.ts';
import { shownInForm, useAction } from '../../data/use-action.ts';
import { useApiQuery } from '../../data/use-api-query.ts';
import { useFilesToSend } from './files-field.tsx';
import { toUpload, toUploadQuery } from './upload.ts';
import { useList, prependRow } from '../../data/use-list.ts';

type MessagesResponse = EndpointOutput<'GET /v1/support/tickets/{id}/messages'>;

/** A ticket that was just created opens without a request. Live events refetch it at any time. */
const FRESH_MS = 5000;

const dependencies: Dependencies = { topics: ['tickets'] };

export function useTickets(page: number) {
  return useList(apiQuery('GET /v1/support/tickets', { query: pageQuery(page) }, dependencies));
}

export function useTicket(id: string) {
  return useApiQuery({ ...ticketQuery(id), staleTime: FRESH_MS });
}

export function useMessages(id: string, page: number) {
  return useList({ ...messagesQuery(id, page), staleTime: FRESH_MS });
}

interface NewTicket {
  body: CreateTicketBody;
  files: readonly File[];
  /** Of the message with the files. */
  text: string;
}

/** Caches the new ticket, so that its page opens without a request. If the files fail, the ticket exists without them. */
export function useCreateTicket() {
  return useAction({
    call: ({ body, files, text }: NewTicket, withKey) =>
      withoutOwnEvent('tickets', async () => {
        const ticket = await callForData('POST /v1/support/tickets', { body }, withKey());
        const message = await sendFiles(ticket.id, files, text).catch((error: unknown) => {
          showToast('warning', errorText(error));
          return undefined;
        });
        return { ...ticket, message };
      }),
    onSuccess: ({ message, ...ticket }) => {
      cacheTicket(ticket);
      queryClient.setQueryData<MessagesResponse>(messagesQuery(ticket.id, 1).queryKey, {
        data: message === undefined ? [] : [message],
        totalPages: message === undefined ? 0 : 1,
      });
      // The lists are refetched when they are shown again.
      void queryClient.invalidateQueries({ queryKey: ['GET /v1/support/tickets'], refetchType: 'none' });
    },
    onError: shownInForm,
  });
}

export function useCloseTicket(id: string) {
  return useAction<void, Ticket>({
    call: () => callForData('PATCH /v1/support/tickets/{id}', { params: { id }, body: { status: 'CLOSED' } }),
    onSuccess: async (ticket) => {
      await queryClient.cancelQueries({ queryKey: ticketQuery(id).queryKey });
      cacheTicket(ticket);
    },
    changes: ['tickets'],
  });
}

export function useSendMessage(id: string) {
  const { t } = useTranslation('support');
  return useAction({
    call: (body: TicketMessageBody, withKey) =>
      callForData('POST /v1/support/tickets/{id}/messages', { params: { id }, body }, withKey()),
    onSuccess: async (message) => {
      await queryClient.cancelQueries({ queryKey: messagesQuery(id, 1).queryKey });
      prependRow(messagesQuery(id, 1).queryKey, message);
    },
    onError: (error) => {
      const minutes = toLimitMinutes(error);
      if (minutes === undefined) return undefined;
      showToast('warning', t('messages.limited', { count: minutes }));
      return 'HANDLED';
    },
    // The ticket may have been closed meanwhile.
    changes: ['tickets'],
  });
}

/** Files of the next message. */
export function useTicketFiles(id: string) {
  return useFilesToSend((file) => sendFile(id, file));
}

function sendFile(id: string, file: File): Promise<TicketFile> {
  return callForData(
    'POST /v1/support/tickets/{id}/files',
    { params: { id }, query: toUploadQuery(file) },
    toUpload(file),
  );
}

/** @returns the message with the files; undefined without any */
async function sendFiles(id: string, files: readonly File[], content: string): Promise<TicketMessage | undefined> {
  if (files.length === 0) return undefined;
  const fileIds: string[] = [];
  for (const file of files) fileIds.push((await sendFile(id, file)).id);
  return callForData('POST /v1/support/tickets/{id}/messages', { params: { id }, body: { content, fileIds } });
}

function ticketQuery(id: string) {
  return apiQuery('GET /v1/support/tickets/{id}', { params: { id } }, dependencies);
}

function messagesQuery(id: string, page: number) {
  return apiQuery('GET /v1/support/tickets/{id}/messages', { params: { id }, query: pageQuery(page) }, dependencies);
}

function cacheTicket(ticket: Ticket): void {
  queryClient.setQueryData<EndpointOutput<'GET /v1/support/tickets/{id}'>>(ticketQuery(ticket.id).queryKey, {
    data: ticket,
  });
}
