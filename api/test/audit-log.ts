import type { TestApp } from './test-app.ts';

export interface Entry {
  action: string;
  actorId: string | null;
  subjectId: string | null;
  ip: string | null;
  device: string | null;
  requestId: string | null;
  details: Record<string, unknown>;
}

/** The audit log entries of a user in order. */
export function entriesOf(test: TestApp, userId: string): Promise<Entry[]> {
  return test.database.query<Entry>(
    `select action, actor_id as "actorId", subject_id as "subjectId", host(ip) as ip, device, request_id as "requestId", details
       from audit_log where subject_id = $1 order by id`,
    [userId],
  );
}

export async function actionsOf(test: TestApp, userId: string): Promise<string[]> {
  return (await entriesOf(test, userId)).map(({ action }) => action);
}
