import type { StaffTicket } from '@cellhop/contract/staff/tickets';
import { Button, Select } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useProfile } from '../../session/profile.ts';
import { usePermission } from '../staff-parts/use-permission.ts';
import { useAssign, useAssignees } from './api.ts';
import classes from './ticket-page.module.css';

/** Who works on the ticket. While it is open, staff who may answer can change it. */
export function Assignment({ ticket }: { ticket: StaffTicket }) {
  const { t } = useTranslation('staffSupport');
  const canAssign = usePermission('TICKETS_MSG_WRITE') && ticket.status === 'OPEN';
  const { assignee } = ticket;
  if (!canAssign)
    return <p className={classes['muted']}>{t('assign.is', { name: assignee?.email ?? t('list.nobody') })}</p>;
  return <AssigneeSelect ticket={ticket} />;
}

function AssigneeSelect({ ticket }: { ticket: StaffTicket }) {
  const { t } = useTranslation('staffSupport');
  const me = useProfile();
  const assignees = useAssignees(true) ?? [];
  // What the member of staff saw when they opened the list of names.
  const [seen, setSeen] = useState(ticket);
  const assigning = useAssign(ticket.id);
  const { assignee } = ticket;
  // The assignee may have left the staff.
  const known =
    assignee === null || assignees.some(({ id }) => id === assignee.id) ? assignees : [assignee, ...assignees];
  return (
    <div className={classes['assignment']}>
      <Select
        className={classes['assignee'] ?? ''}
        label={t('assign.label')}
        placeholder={t('list.nobody')}
        data={known.map(({ id, email }) => ({ value: id, label: email }))}
        value={assignee?.id ?? null}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': t('assign.clear') }}
        nothingFoundMessage={t('assign.unknown')}
        disabled={assigning.isRunning}
        onDropdownOpen={() => setSeen(ticket)}
        onChange={(id) => void assigning.run({ assigneeId: id, version: (id === null ? ticket : seen).version })}
      />
      {me !== undefined && assignee?.id !== me.id && (
        <Button
          variant="default"
          loading={assigning.isRunning}
          onClick={() => void assigning.run({ assigneeId: me.id, version: ticket.version })}
        >
          {t('assign.toMe')}
        </Button>
      )}
    </div>
  );
}
