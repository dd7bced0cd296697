import { IconHistory } from '@tabler/icons-react';
import {
  dayParameter,
  idParameter,
  oneOf,
  pageSearch,
  type Search,
  textParameter,
} from '../../loading/search-values.ts';
import { momentsSearch } from '../staff-parts/continuation.ts';
import { someOf, type StaffScreenOf } from '../staff-parts/staff-screen.ts';
import { auditActions, subjectTypes } from '@cellhop/contract/staff/audit-log.values';

export const staffAuditLogScreen = {
  path: '/admin/audit-log',
  permission: 'AUDIT_READ',
  texts: ['staffSystem'],
  search: staffAuditLogSearch,
  title: { en: 'Audit log', ru: 'Журнал действий' },
  Icon: IconHistory,
} as const satisfies StaffScreenOf<'GET /v1/audit-log/admin'>;

export type StaffAuditLogSearch = ReturnType<typeof staffAuditLogSearch>;

function staffAuditLogSearch(search: Search) {
  const subjectType = oneOf(search['subjectType'], subjectTypes);
  return {
    ...pageSearch(search),
    ...momentsSearch(search),
    /** The id or the email of a member of staff. */
    actor: textParameter(search['actor']),
    action: someOf(search['action'], auditActions),
    subjectType,
    subjectId: subjectType === undefined ? undefined : idParameter(search['subjectId']),
    userId: idParameter(search['userId']),
    from: dayParameter(search['from']),
    to: dayParameter(search['to']),
  };
}
