import { ApiError } from '@cellhop/contract/client';
import { Alert, Button, Checkbox, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatBalance } from '../../format/money.ts';
import { fieldErrorText } from '../../data/form-errors.ts';
import { useSchemaForm } from '../../hooks/use-schema-form.ts';
import { useProfile } from '../../session/profile.ts';
import { destructive } from '../../ui/destructive.ts';
import { Dialog } from '../../ui/dialog.tsx';
import classes from './account-section.module.css';
import { AccountSection } from './account-section.tsx';
import { deletionForm, useDeleteAccount, useDownloadData } from './api.ts';
import { FormAlert, SecretInput } from './proof-form.tsx';

export function DeletionSection() {
  const { t } = useTranslation('user');
  const [isOpen, setOpen] = useState(false);
  const download = useDownloadData();
  return (
    <AccountSection anchor="deletion" title={t('deletion.title')} text={t('deletion.text')}>
      <div className={classes['line']}>
        <span className={classes['muted']}>{t('deletion.data')}</span>
        <Button variant="default" loading={download.isRunning} onClick={() => void download.run(undefined)}>
          {t('deletion.download')}
        </Button>
      </div>
      <div className={classes['line']}>
        <span className={classes['muted']}>{t('deletion.final')}</span>
        <Button {...destructive.opens} onClick={() => setOpen(true)}>
          {t('deletion.open')}
        </Button>
      </div>
      <Dialog isOpen={isOpen} title={t('deletion.dialog')} size="sm" onClose={() => setOpen(false)}>
        {isOpen && <DeletionForm />}
      </Dialog>
    </AccountSection>
  );
}

/** Asks for password and code again, and whether the balance is given up. */
function DeletionForm() {
  const { t } = useTranslation('user');
  const { balance = 0, secondFactor = 'OFF' } = useProfile() ?? {};
  const form = useSchemaForm(deletionForm, { password: '', code: '' });
  const { errors } = form.formState;
  // The balance that was shown when it was given up; a greater one is refused.
  const [waived, setWaived] = useState<number>();
  const deletion = useDeleteAccount();
  const isChanged = deletion.error instanceof ApiError && deletion.error.code === 'BALANCE_NOT_ZERO';
  const isWaived = balance === 0 || (waived !== undefined && waived >= balance);

  const submit = form.handleSubmit(async ({ password, code = '' }) => {
    if (!isWaived) return;
    await deletion.run({
      password,
      ...(code !== '' && { secondFactorCode: code }),
      ...(waived !== undefined && { waivedBalance: waived }),
    });
  });

  return (
    <form noValidate onSubmit={(event) => void submit(event)}>
      <Stack>
        {isChanged ? (
          <Alert role="alert" color="red" variant="light">
            {t('deletion.balanceChanged')}
          </Alert>
        ) : (
          <FormAlert error={deletion.error} />
        )}
        <Text>{t('deletion.consequences')}</Text>
        {balance > 0 && (
          <Checkbox
            label={t('deletion.waive', { amount: formatBalance(balance) })}
            checked={isWaived}
            onChange={({ currentTarget }) => setWaived(currentTarget.checked ? balance : undefined)}
          />
        )}
        <SecretInput
          label={t('password.current')}
          autoComplete="current-password"
          data-autofocus
          {...form.register('password')}
          error={fieldErrorText(errors.password)}
        />
        {secondFactor === 'ON' && (
          <TextInput
            label={t('proof.code')}
            size="md"
            autoComplete="one-time-code"
            autoCapitalize="none"
            spellCheck={false}
            {...form.register('code')}
            error={fieldErrorText(errors.code)}
          />
        )}
        <Button type="submit" size="md" {...destructive.confirms} disabled={!isWaived} loading={deletion.isRunning}>
          {t('deletion.submit')}
        </Button>
      </Stack>
    </form>
  );
}
