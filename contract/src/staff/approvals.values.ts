export const requestStatuses = ['PENDING', 'APPLIED', 'APPROVED', 'REJECTED', 'LAPSED'] as const;

export type RequestStatus = (typeof requestStatuses)[number];
