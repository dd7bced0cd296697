/** The longest range by days. */
export const USAGE_DAYS_MAX = 366;

/** The sort orders of the connections; a leading minus: descending. The first one is the default. */
export const usageSorts = ['-spent', 'spent', '-trafficUsed', 'trafficUsed', '-createdAt', 'createdAt'] as const;
