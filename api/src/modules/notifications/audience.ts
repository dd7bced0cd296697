/** The filter of a broadcast, as the API has it and as it is stored. */
import type { Audience } from '@cellhop/contract/staff/notifications';
import { toDollars, toMicros } from '@cellhop/contract/units';
import type { AudienceColumns } from './recipients.store.ts';

export function toColumns(audience: Audience): AudienceColumns {
  const { balanceFrom, balanceBelow, registeredFrom, registeredBefore, userIds } = audience;
  return {
    status: audience.status ?? null,
    isConfirmed: audience.isConfirmed ?? null,
    languageCode: audience.languageCode ?? null,
    roleName: audience.roleName ?? null,
    balanceFromMicros: balanceFrom === undefined ? null : toMicros(balanceFrom),
    balanceBelowMicros: balanceBelow === undefined ? null : toMicros(balanceBelow),
    userIds: userIds === undefined ? null : [...new Set(userIds)],
    hasOpenConnection: audience.hasOpenConnection ?? null,
    registeredFrom: registeredFrom === undefined ? null : new Date(registeredFrom),
    registeredBefore: registeredBefore === undefined ? null : new Date(registeredBefore),
  };
}

/** Without the filters that are not set. */
export function presentAudience(columns: AudienceColumns): Audience {
  const { status, isConfirmed, languageCode, roleName, balanceFromMicros, balanceBelowMicros } = columns;
  const { userIds, hasOpenConnection, registeredFrom, registeredBefore } = columns;
  return {
    ...(status !== null && { status }),
    ...(isConfirmed !== null && { isConfirmed }),
    ...(languageCode !== null && { languageCode }),
    ...(roleName !== null && { roleName }),
    ...(balanceFromMicros !== null && { balanceFrom: toDollars(balanceFromMicros) }),
    ...(balanceBelowMicros !== null && { balanceBelow: toDollars(balanceBelowMicros) }),
    ...(userIds !== null && { userIds: [...userIds] }),
    ...(hasOpenConnection !== null && { hasOpenConnection }),
    ...(registeredFrom !== null && { registeredFrom: registeredFrom.toISOString() }),
    ...(registeredBefore !== null && { registeredBefore: registeredBefore.toISOString() }),
  };
}
