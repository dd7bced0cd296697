import type { Receipt } from '@cellhop/contract/receipts';
import { type SyntheticEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
// oxlint-disable-next-line import/default
import commandUrl from '../../../../tools/receipt-checker/cellhop-receipt.mjs?url&no-inline';
import { checkReceipt } from '../../../../tools/receipt-checker/check.mjs';
// Vite returns the address of the file.
// oxlint-disable-next-line import/default
import checkUrl from '../../../../tools/receipt-checker/check.mjs?url&no-inline';
import { call } from '../../data/http.ts';
import { formatMoney } from '../../format/format.ts';
import { useDocumentTitle } from '../../hooks/use-document-title.ts';
import { FileField } from '../../ui/file-field.tsx';
import { PlainButton } from '../../ui/plain-button.tsx';
import { PlainField } from '../../ui/plain-field.tsx';
import { VisitorFrame } from '../../ui/visitor-frame.tsx';
import classes from './receipt-check-page.module.css';

/** The program imports `check.mjs` under this name. */
const program = { 'cellhop-receipt.mjs': commandUrl, 'check.mjs': checkUrl };

export function ReceiptCheckPage() {
  return (
    <VisitorFrame>
      <ReceiptCheck />
    </VisitorFrame>
  );
}

function ReceiptCheck() {
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
        <FileField
          label={t('file')}
          accept=".json,application/json"
          file={file}
          error={hasNoFile ? t('noFile') : undefined}
          onChoose={(chosen) => {
            setFile(chosen);
            setHasNoFile(false);
            setResult(undefined);
          }}
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

/** Checks a receipt in this browser. Nothing is sent; only the published key is fetched, if none is given. */
/** `problem` is the checker's own text, in English. */
type CheckResult =
  | { kind: 'good'; charges: number; total: number }
  | { kind: 'bad'; problem: string }
  | { kind: 'unreadable' | 'keyMissing' | 'unsupported' };

/** @param publicKey base64; empty for the key that the service publishes */
async function checkReceiptFile(text: string, publicKey: string): Promise<CheckResult> {
  const receipt = parse(text);
  if (receipt === undefined) return { kind: 'unreadable' };
  const key = publicKey === '' ? await publishedKey(receipt.keyId) : publicKey;
  if (key === undefined) return { kind: 'keyMissing' };
  try {
    const problem = await checkReceipt(receipt, { publicKey: key });
    if (problem !== undefined) return { kind: 'bad', problem };
  } catch {
    // Without HTTPS there is no Web Crypto; browsers before 2025 do not support Ed25519.
    return { kind: 'unsupported' };
  }
  return { kind: 'good', charges: receipt.charges.length, total: receipt.total };
}

/** The checker validates the fields. The file contains only the receipt, or the API's response: `{ "data": receipt }`. */
function parse(text: string): Receipt | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const receipt: unknown = isObject(value) && 'data' in value ? value.data : value;
    return isObject(receipt) ? (receipt as Receipt) : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

async function publishedKey(keyId: unknown): Promise<string | undefined> {
  try {
    const { data: newest } = await call('GET /v1/receipts/public-key', {});
    return ([newest, ...newest.olderKeys].find((key) => key.keyId === keyId) ?? newest).publicKey;
  } catch {
    return undefined;
  }
}
