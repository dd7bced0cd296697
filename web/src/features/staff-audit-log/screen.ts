import { IconHistory } from '@tabler/icons-react';
import { dayOf, idOf, oneOf, pageSearch, type Search, textOf, textsOf } from '../../loading/search-values.ts';
import { momentsSearch } from '../staff-parts/continuation.ts';
import type { StaffScreenOf } from '../staff-parts/staff-screen.ts';
import { auditActions, subjectTypes } from '@cellhop/contract/staff/audit-log.values';

export const staffAuditLogScreen = {
  path: '/admin/audit-log',
  permission: 'AUDIT_READ',
  texts: ['staffSystem'],
  search: staffAuditLogSearch,
  title: 'auditLog',
  Icon: IconHistory,
} as const satisfies StaffScreenOf<'GET /v1/audit-log/admin'>;

export type StaffAuditLogSearch = ReturnType<typeof staffAuditLogSearch>;

function staffAuditLogSearch(search: Search) {
  const actions = textsOf(search['action']).flatMap((action) => oneOf(action, auditActions) ?? []);
  const subjectType = oneOf(search['subjectType'], subjectTypes);
  return {
    ...pageSearch(search),
    ...momentsSearch(search),
    /** The id or the email of a member of staff. */
    actor: textOf(search['actor']),
    action: actions.length > 0 ? actions : undefined,
    subjectType,
    subjectId: subjectType === undefined ? undefined : idOf(search['subjectId']),
    userId: idOf(search['userId']),
    from: dayOf(search['from']),
    to: dayOf(search['to']),
  };
}
