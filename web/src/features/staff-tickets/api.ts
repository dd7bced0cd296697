import type { EndpointOutput } from '@cellhop/contract/endpoints';
import type {
  AnswerTicketBody,
  AssignTicketBody,
  CreateTicketForUserBody,
  StaffTicket,
  TicketNoteBody,
  TicketView,
} from '@cellhop/contract/staff/tickets';
import type { TicketStatus } from '@cellhop/contract/tickets';
import { ApiError } from '@cellhop/contract/client';
import { startOfDay, toDay } from '../../format/day.ts';
import { callForData } from '../../data/http.ts';
import { apiQuery, pageQuery, queryClient, staffDependencies } from '../../data/query.ts';
import { shownInForm, useAction } from '../../data/use-action.ts';
import { useApiQuery } from '../../data/use-api-query.ts';
import { useQuarterHour } from '../../hooks/use-quarter-hour.ts';
import { useList, prependRow } from '../../data/use-list.ts';
import { useFilesToSend } from '../tickets/files-field.tsx';
import { toUpload, toUploadQuery } from '../tickets/upload.ts';
import { type Moments, toLimitedRange } from '../staff-parts/continuation.ts';

const dependencies = staffDependencies('staff-tickets');
/** Topics of tickets for staff and customers, because the customer's pages may be open in the same browser. */
const changes = ['staff-tickets', 'tickets'] as const;

export interface Chosen extends Moments {
  page: number;
  view: TicketView;
  userId: string | undefined;
  status: TicketStatus | undefined;
  words: string | undefined;
  /** Days, both included. */
  from: string | undefined;
  to: string | undefined;
}

export function useTicketsOfUsers({ page, from, to, since, until, ...chosen }: Chosen) {
  const query = { ...chosen, ...pageQuery(page), ...toLimitedRange({ from, to, since, until }) };
  return useList(apiQuery('GET /v1/support/admin/tickets', { query }, dependencies));
}

export function useOtherTickets({ id, user }: StaffTicket) {
  const { rows, failure } = useList(
    apiQuery(
      'GET /v1/support/admin/tickets',
      { query: { userId: user.id, page: 1, size: OTHER_TICKETS + 1 } },
      dependencies,
    ),
  );
  return { rows: rows?.filter((ticket) => ticket.id !== id).slice(0, OTHER_TICKETS), failure };
}

/** Other tickets of the user, shown next to a ticket; only the newest. */
const OTHER_TICKETS = 5;

export function useViewCounts() {
  return useApiQuery(apiQuery('GET /v1/support/admin/ticket-views', {}, dependencies)).response?.data;
}

/** First replies of the last days, until the end of today. */
export function useFirstReplies(days: number) {
  const today = toDay(new Date(useQuarterHour()));
  const query = { from: startOfDay(today, 1 - days).toISOString(), to: startOfDay(today, 1).toISOString() };
  return useApiQuery(apiQuery('GET /v1/support/admin/first-replies', { query }, dependencies), { keepsPrevious: true })
    .response?.data;
}

export function useAnyTicket(id: string) {
  return useApiQuery(ticketQuery(id));
}

export function useAnyMessages(id: string, page: number) {
  return useList(messagesQuery(id, page));
}

export function useNotes(id: string, page: number) {
  return useList(
    apiQuery('GET /v1/support/admin/tickets/{id}/notes', { params: { id }, query: pageQuery(page) }, dependencies),
  );
}

export function useAssignees(isEnabled: boolean) {
  return useApiQuery(apiQuery('GET /v1/support/admin/assignees', {}), { isEnabled }).response?.data;
}

export function useBalance(id: string) {
  return useApiQuery(apiQuery('GET /v1/support/admin/tickets/{id}/balance', { params: { id } }), { isPolled: true });
}

export function useLiveConnections(id: string) {
  return useList(
    apiQuery(
      'GET /v1/support/admin/tickets/{id}/connections',
      { params: { id } },
      staffDependencies('staff-connections'),
    ),
  );
}

/** Caches the new ticket, so that its page opens without a request. */
export function useCreateTicketForUser() {
  return useAction({
    call: (body: CreateTicketForUserBody, withKey) =>
      callForData('POST /v1/support/admin/tickets', { body }, withKey()),
    onSuccess: cacheTicket,
    onError: shownInForm,
    changes,
  });
}

export function useCloseAnyTicket(id: string) {
  return useAction<void, StaffTicket>({
    call: () => callForData('PATCH /v1/support/admin/tickets/{id}', { params: { id }, body: { status: 'CLOSED' } }),
    onSuccess: cacheTicket,
    changes,
  });
}

export function useAssign(id: string) {
  return useAction({
    call: (body: AssignTicketBody) =>
      callForData('PUT /v1/support/admin/tickets/{id}/assignee', { params: { id }, body }),
    onSuccess: cacheTicket,
    changes,
  });
}

/** No toast for an answer by other staff: the form shows it. */
export function useAnswer(id: string) {
  return useAction({
    call: (body: AnswerTicketBody, withKey) =>
      callForData('POST /v1/support/admin/tickets/{id}/messages', { params: { id }, body }, withKey()),
    onSuccess: async (message) => {
      await queryClient.cancelQueries({ queryKey: messagesQuery(id, 1).queryKey });
      prependRow(messagesQuery(id, 1).queryKey, message);
    },
    onError: (error) => (isConflict(error) ? 'HANDLED' : undefined),
    changes,
  });
}

/** Files of the next answer. */
export function useAnswerFiles(id: string) {
  return useFilesToSend((file) =>
    callForData(
      'POST /v1/support/admin/tickets/{id}/files',
      { params: { id }, query: toUploadQuery(file) },
      toUpload(file),
    ),
  );
}

export function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'CHANGED_ELSEWHERE';
}

export function useWriteNote(id: string) {
  return useAction({
    call: (body: TicketNoteBody, withKey) =>
      callForData('POST /v1/support/admin/tickets/{id}/notes', { params: { id }, body }, withKey()),
    changes: ['staff-tickets'],
  });
}

function ticketQuery(id: string) {
  return apiQuery('GET /v1/support/admin/tickets/{id}', { params: { id } }, dependencies);
}

function messagesQuery(id: string, page: number) {
  return apiQuery(
    'GET /v1/support/admin/tickets/{id}/messages',
    { params: { id }, query: pageQuery(page) },
    dependencies,
  );
}

async function cacheTicket(ticket: StaffTicket): Promise<void> {
  const { queryKey } = ticketQuery(ticket.id);
  await queryClient.cancelQueries({ queryKey });
  queryClient.setQueryData<EndpointOutput<'GET /v1/support/admin/tickets/{id}'>>(queryKey, { data: ticket });
}
