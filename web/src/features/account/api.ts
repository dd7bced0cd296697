import { changePasswordBody, type ChangePasswordBody, passwordSchema } from '@cellhop/contract/auth';
import {
  changePassword,
  disableSecondFactor,
  enableSecondFactor,
  getSecondFactor,
  listSessions,
  renewRecoveryCodes,
  revokeOtherSessions,
  revokeSession,
  setUpSecondFactor,
} from '@cellhop/contract/auth.plain';
import { useMutation, useQuery } from '@tanstack/react-query';
import { z } from 'zod';
import { call } from '../../lib/http.ts';
import { confirmation, confirmPassword, isConfirmed } from '../../lib/forms/password-confirmation.ts';
import { profileQuery, reloadProfile } from '../../lib/profile.ts';
import { apiQuery, CALM_INTERVAL_MS, queryClient } from '../../lib/query.ts';
import { anyCodeSchema, appCodeSchema } from '../../lib/forms/second-factor-codes.ts';

export const changePasswordForm = changePasswordBody.extend({ confirmPassword }).refine(isConfirmed, confirmation);
export const passwordForm = z.object({ password: passwordSchema });
export const appCodeForm = z.object({ code: appCodeSchema });
/** What has to be given once more before two-factor sign-in changes. */
export const proofForm = z.object({ password: passwordSchema, code: anyCodeSchema });
export type Proof = z.infer<typeof proofForm>;

const sessionsQuery = apiQuery(listSessions, {});
const secondFactorQuery = apiQuery(getSecondFactor, {});

export function useProfile() {
  return useQuery(profileQuery).data?.data;
}

/** Asks again now and then: sessions begin and end elsewhere. */
export function useSessions() {
  return useQuery({ ...sessionsQuery, refetchInterval: CALM_INTERVAL_MS });
}

export function useSecondFactor() {
  return useQuery(secondFactorQuery);
}

export function useRevokeSession() {
  return useMutation({
    mutationFn: (id: string) => call(revokeSession, { params: { id } }),
    onSettled: reloadSessions,
  });
}

export function useRevokeOtherSessions() {
  return useMutation({
    mutationFn: async () => (await call(revokeOtherSessions, {})).data.revokedCount,
    onSettled: reloadSessions,
  });
}

export function useChangePassword() {
  return useMutation({
    mutationFn: (body: ChangePasswordBody) => call(changePassword, { body }),
    onSuccess: reloadSessions,
  });
}

export function useSetUpSecondFactor() {
  return useMutation({
    mutationFn: async (password: string) => (await call(setUpSecondFactor, { body: { password } })).data,
  });
}

/** Gives the recovery codes, which no later answer contains. */
export function useEnableSecondFactor() {
  return useMutation({
    mutationFn: async (code: string) => (await call(enableSecondFactor, { body: { code } })).data.recoveryCodes,
    onSuccess: reloadAccess,
  });
}

export function useRenewRecoveryCodes() {
  return useMutation({
    mutationFn: async (body: Proof) => (await call(renewRecoveryCodes, { body })).data.recoveryCodes,
    onSuccess: reloadAccess,
  });
}

export function useDisableSecondFactor() {
  return useMutation({
    mutationFn: (body: Proof) => call(disableSecondFactor, { body }),
    onSuccess: reloadAccess,
  });
}

function reloadSessions(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: sessionsQuery.queryKey });
}

/** The profile says whether a second factor is due, and switching it on ends other sessions. */
async function reloadAccess(): Promise<void> {
  const secondFactor = queryClient.invalidateQueries({ queryKey: secondFactorQuery.queryKey });
  await Promise.all([secondFactor, reloadSessions(), reloadProfile()]);
}
