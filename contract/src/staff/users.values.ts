/** The first one is the default. */
export const userSorts = ['-createdAt', 'createdAt', 'email', '-email'] as const;

/** Shorter texts would be found by reading all emails. */
export const EMAIL_PART_LENGTH_MIN = 3;
