import type { Company } from '@cellhop/contract/company';
import { isTaxId } from '@cellhop/contract/company.values';
import { COMPANY_ADDRESS_LENGTH_MAX, COMPANY_NAME_LENGTH_MAX, TAX_ID_LENGTH_MAX } from '@cellhop/contract/limits';
import { Button, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { AccountSection, SectionContent } from './account-section.tsx';
import classes from './account-section.module.css';
import { useCompany, useSaveCompany } from './api.ts';

/** The company details on monthly statements. */
export function CompanySection() {
  const { t } = useTranslation('user');
  return (
    <AccountSection anchor="company" title={t('company.title')} text={t('company.text')}>
      <SectionContent state={useCompany()} failedText={t('company.failed')} placeholders={[60, 90, 60]}>
        {(company) => <CompanyForm company={company} />}
      </SectionContent>
    </AccountSection>
  );
}

function CompanyForm({ company: saved }: { company: Company }) {
  const { t } = useTranslation('user');
  const [company, setCompany] = useState(saved);
  const saving = useSaveCompany();
  const isValid = isTaxId(company.taxId.trim());
  const field = (name: keyof Company) => ({
    label: t(`company.${name}`),
    value: company[name],
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => {
      const { value } = currentTarget;
      setCompany((current) => ({ ...current, [name]: value }));
    },
  });
  return (
    <form
      className={classes['padded']}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (isValid) void saving.run(company);
      }}
    >
      <TextInput {...field('name')} maxLength={COMPANY_NAME_LENGTH_MAX} autoComplete="organization" />
      <Textarea
        {...field('address')}
        maxLength={COMPANY_ADDRESS_LENGTH_MAX}
        autoComplete="street-address"
        rows={3}
        resize="vertical"
      />
      <TextInput
        {...field('taxId')}
        maxLength={TAX_ID_LENGTH_MAX}
        autoComplete="off"
        error={!isValid && t('company.taxIdFormat')}
      />
      <div className={classes['actions']}>
        <Button type="submit" disabled={!isValid} loading={saving.isRunning}>
          {t('company.save')}
        </Button>
      </div>
    </form>
  );
}
