/** A leading minus: descending. The first is the default. */
export const connectionSorts = ['-createdAt', 'createdAt'] as const;
export type ConnectionSort = (typeof connectionSorts)[number];
