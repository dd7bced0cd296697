/** RETRYING: it has failed and will run again by itself. */
export const jobStates = ['FAILED', 'RETRYING', 'RUNNING', 'WAITING'] as const;

export type JobState = (typeof jobStates)[number];
