export const ticketStatuses = ['OPEN', 'CLOSED'] as const;
