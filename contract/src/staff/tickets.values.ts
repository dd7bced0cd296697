/**
 * `open`: newest first. `mine`: those assigned to the caller. `waiting`: the customer waits for staff, the longest wait first.
 * `oldest`: open, oldest first. `all` has closed ones too, newest first.
 */
export const ticketViews = ['all', 'open', 'mine', 'waiting', 'oldest'] as const;
