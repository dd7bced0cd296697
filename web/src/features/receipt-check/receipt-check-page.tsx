import { type SyntheticEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
// Vite returns the address of the file.
// oxlint-disable-next-line import/default
import checkUrl from '../../../../tools/receipt-checker/check.mjs?url&no-inline';
// oxlint-disable-next-line import/default
import commandUrl from '../../../../tools/receipt-checker/cellhop-receipt.mjs?url&no-inline';
import { formatMoney } from '../../format/format.ts';
import { useDocumentTitle } from '../../hooks/use-document-title.ts';
import { PlainButton } from '../../ui/plain-button.tsx';
import { PlainField } from '../../ui/plain-field.tsx';
import { checkReceiptFile, type CheckResult } from './check-receipt-file.ts';
import classes from './receipt-check-page.module.css';

/** The program imports `check.mjs` under this name. */
const program = { 'cellhop-receipt.mjs': commandUrl, 'check.mjs': checkUrl };

export function ReceiptCheckPage() {
  const { t } = useTranslation('receiptCheck');
  const [file, setFile] = useState<File>();
  const [key, setKey] = useState('');
  const [hasNoFile, setHasNoFile] = useState(false);
  const [isChecking, setIsChecking] = useState(false);
  const [result, setResult] = useState<CheckResult>();
  useDocumentTitle(t('title'));

  async function check(event: SyntheticEvent) {
    event.preventDefault();
    setResult(undefined);
    setHasNoFile(file === undefined);
    if (file === undefined) return;
    setIsChecking(true);
    const text = await file.text().catch(() => '');
    setResult(await checkReceiptFile(text, key.trim()));
    setIsChecking(false);
  }

  return (
    <div className={classes['card']}>
      <div>
        <h1 tabIndex={-1}>{t('title')}</h1>
        <p>{t('lead')}</p>
      </div>
      <form noValidate onSubmit={(event) => void check(event)}>
        <PlainField
          label={t('file')}
          type="file"
          accept=".json,application/json"
          error={hasNoFile ? t('noFile') : undefined}
          onChange={({ target }) => setFile(target.files?.[0])}
        />
        <PlainField
          label={t('key')}
          hint={t('keyHint')}
          value={key}
          spellCheck={false}
          autoComplete="off"
          onChange={({ target }) => setKey(target.value)}
        />
        <PlainButton type="submit" isLoading={isChecking}>
          {t('check')}
        </PlainButton>
      </form>
      <output>{result !== undefined && <Result result={result} />}</output>
      <Program />
    </div>
  );
}

function Result({ result }: { result: CheckResult }) {
  const { t } = useTranslation('receiptCheck');
  if (result.kind === 'good')
    return <p className={classes['good']}>{t('good', { count: result.charges, total: formatMoney(result.total) })}</p>;
  if (result.kind === 'bad')
    return (
      <p className={classes['bad']}>
        {t('bad')} <span lang="en">{result.problem}</span>
      </p>
    );
  return <p className={classes['bad']}>{t(result.kind)}</p>;
}

/** The same check outside of the browser. */
function Program() {
  const { t } = useTranslation('receiptCheck');
  return (
    <div className={classes['program']}>
      <p>{t('program')}</p>
      <ul>
        {Object.entries(program).map(([file, url]) => (
          <li key={file}>
            <a href={url} download={file}>
              {t('download', { file })}
            </a>
          </li>
        ))}
        <li>
          <a href="/v1/receipts/public-key">{t('publishedKey')}</a>
        </li>
      </ul>
      <code>node cellhop-receipt.mjs receipt.json --key key.txt</code>
    </div>
  );
}
