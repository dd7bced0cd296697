/** What files in tickets may be, by their content. */
export const ticketFileTypes = ['image/png', 'image/jpeg', 'image/webp', 'application/pdf', 'text/plain'] as const;
export const ticketStatuses = ['OPEN', 'CLOSED'] as const;
