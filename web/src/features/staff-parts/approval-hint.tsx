import type { RequestList } from '@cellhop/contract/staff/lists.values';
import { Alert } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { apiQuery, staffDependencies } from '../../data/query.ts';
import { useApiQuery } from '../../data/use-api-query.ts';

const endpoints = {
  ADJUSTMENT: { url: 'GET /v1/approvals/admin/adjustments/allowance', topic: 'staff-adjustments' },
  SETTLEMENT: { url: 'GET /v1/approvals/admin/settlements/allowance', topic: 'staff-settlements' },
  PROMO_CODE: { url: 'GET /v1/approvals/admin/promo-codes/allowance', topic: 'staff-promo-codes' },
} as const;

interface ApprovalHintProps {
  list: RequestList;
  /** The customer; undefined if the form does not know them yet. */
  userId?: string;
  /** US dollars; undefined while there is no valid one. */
  amount: number | undefined;
}

function useAllowance(list: RequestList, userId: string | undefined) {
  const { url, topic } = endpoints[list];
  return useApiQuery(apiQuery(url, { query: { userId } }, staffDependencies(topic))).response?.data;
}

/** Of the toast about a request that waits: no success, the less if nobody can approve it. */
export function useWaiting(list: RequestList, userId?: string): (text: string) => { warning: string } {
  const { t } = useTranslation('staff');
  const isLone = useAllowance(list, userId)?.approvers.length === 0;
  return (text) => ({ warning: isLone ? t('approvalHint.stuck') : text });
}

/** Says beforehand that an amount will wait for a second person, and who that can be. */
export function ApprovalHint({ list, userId, amount }: ApprovalHintProps) {
  const { t } = useTranslation('staff');
  const { withoutApproval = null, approvers = [] } = useAllowance(list, userId) ?? {};
  const isNeeded = amount !== undefined && withoutApproval !== null && Math.abs(amount) > withoutApproval;
  return (
    // A live region is there before its text.
    <output>
      {isNeeded && (
        <Alert color="yellow" variant="light">
          {approvers.length === 0
            ? t('approvalHint.nobody')
            : t('approvalHint.needed', { names: approvers.map(({ email }) => email).join(', ') })}
        </Alert>
      )}
    </output>
  );
}
