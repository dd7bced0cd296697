import { ApiError } from '@cellhop/contract/client';
import type { Connection, ConnectionChange } from '@cellhop/contract/connections';
import { ALLOW_LIST_MAX } from '@cellhop/contract/limits';
import { Button, Center, Loader, TextInput } from '@mantine/core';
import { IconPlus, IconX, type TablerIcon } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../data/error-text.ts';
import { callForData } from '../../data/http.ts';
import { apiQuery, SUMS_THROTTLE_MS } from '../../data/query.ts';
import { useAction } from '../../data/use-action.ts';
import { useApiQuery } from '../../data/use-api-query.ts';
import { formatDate } from '../../format/format.ts';
import { chargeWords, parseCap, TrafficCapField } from '../../ui/traffic-cap-field.tsx';
import { useProfile } from '../../session/profile.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { LoadFailure } from '../../ui/list-state.tsx';
import { replaceRow } from './api.ts';
import classes from './connection-controls.module.css';

/** The settings that the customer can change while a connection is open. */
export function ConnectionControls({ connection }: { connection: Connection }) {
  const { t } = useTranslation('proxyConnection');
  return (
    <div className={classes['controls']}>
      <CapForm connection={connection} />
      <NewPassword connection={connection} />
      <Control title={t('controls.allowList.title')} text={t('controls.allowList.text')}>
        <AllowListForm connectionId={connection.id} />
      </Control>
    </div>
  );
}

function Control({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <section className={classes['control']}>
      <h3>{title}</h3>
      <p>{text}</p>
      {children}
    </section>
  );
}

function CapForm({ connection }: { connection: Connection }) {
  const { t } = useTranslation('proxyConnection');
  const { id, price, paidFor } = connection;
  const saved = connection.capMegabytes;
  const [text, setText] = useState(String(saved ?? ''));
  const cap = parseCap(text);
  const saving = useControl(() => t('controls.cap.saved'));
  const { balance = 0 } = useProfile() ?? {};
  const isRefused = isFieldRefusal(saving.error) && saving.input?.capMegabytes === cap;
  return (
    <section className={classes['control']}>
      <form
        className={classes['line']}
        onSubmit={(event) => {
          event.preventDefault();
          if (cap !== undefined) void saving.run({ id, capMegabytes: cap });
        }}
      >
        <TrafficCapField text={text} refusal={isRefused ? errorText(saving.error) : undefined} onChange={setText} />
        <Button
          type="submit"
          variant="default"
          disabled={cap === undefined || cap === saved}
          loading={saving.isRunning}
        >
          {t('controls.cap.save')}
        </Button>
      </form>
      <p>{chargeWords({ price, cap: cap ?? null, balance, paidFor }, t)}</p>
    </section>
  );
}

function NewPassword({ connection: { id } }: { connection: Connection }) {
  const { t } = useTranslation('proxyConnection');
  const [isAsking, setAsking] = useState(false);
  const changing = useNewPassword();
  return (
    <Control title={t('controls.password.title')} text={t('controls.password.text')}>
      <Button className={classes['action']} variant="default" onClick={() => setAsking(true)}>
        {t('controls.password.action')}
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        title={t('controls.password.question')}
        text={t('controls.password.warning')}
        action={t('controls.password.action')}
        isDangerous
        isWorking={changing.isRunning}
        onConfirm={async () => {
          if ((await changing.run(id)) !== undefined) setAsking(false);
        }}
        onClose={() => setAsking(false)}
      />
    </Control>
  );
}

/** Each change is saved at once. */
function AllowListForm({ connectionId: id }: { connectionId: string }) {
  const { t } = useTranslation('proxyConnection');
  const { response, failure } = useConnectionAccess(id);
  const saving = useControl(() => t('controls.allowList.saved'));
  if (failure !== undefined) return <LoadFailure text={t('controls.allowList.failed')} {...failure} />;
  if (response === undefined)
    return (
      <Center mih={80}>
        <Loader size="sm" />
      </Center>
    );
  const { allowList, collidingNetworks, recentAddresses } = response.data;
  const isFull = allowList.length >= ALLOW_LIST_MAX;
  const save = (networks: string[]) => saving.run({ id, allowList: networks });
  const listed = allowList.map((network) => ({
    text: shownNetwork(network),
    ...(collidingNetworks.includes(network) && { note: t('controls.allowList.colliding') }),
    action: t('controls.allowList.remove', { network: shownNetwork(network) }),
    onAct: () => save(allowList.filter((each) => each !== network)),
  }));
  const offered = recentAddresses.map(({ address, usedAt }) => ({
    text: address,
    note: formatDate(usedAt),
    action: t('controls.allowList.addOf', { address }),
    onAct: () => save([...allowList, address]),
  }));
  return (
    <>
      <Networks name={t('controls.allowList.title')} lines={listed} Icon={IconX} isBusy={saving.isRunning} />
      {isFull ? (
        <p>{t('controls.allowList.full', { count: ALLOW_LIST_MAX })}</p>
      ) : (
        <>
          <AddForm saving={saving} onAdd={(network) => save([...allowList, network])} />
          {offered.length > 0 && <p>{t('controls.allowList.recent')}</p>}
          <Networks name={t('controls.allowList.recent')} lines={offered} Icon={IconPlus} isBusy={saving.isRunning} />
        </>
      )}
    </>
  );
}

interface NetworksProps {
  name: string;
  lines: readonly { text: string; note?: string; action: string; onAct: () => Promise<unknown> }[];
  Icon: TablerIcon;
  isBusy: boolean;
}

/** Addresses and networks, each with one action. */
function Networks({ name, lines, Icon, isBusy }: NetworksProps) {
  if (lines.length === 0) return undefined;
  return (
    <ul className={classes['networks']} aria-label={name}>
      {lines.map(({ text, note, action, onAct }) => (
        <li key={text}>
          <span>
            {text} <small>{note}</small>
          </span>
          <IconButton aria-label={action} disabled={isBusy} onClick={() => void onAct()}>
            <Icon size={17} aria-hidden="true" />
          </IconButton>
        </li>
      ))}
    </ul>
  );
}

interface AddFormProps {
  saving: ReturnType<typeof useControl>;
  onAdd: (network: string) => Promise<unknown>;
}

function AddForm({ saving, onAdd }: AddFormProps) {
  const { t } = useTranslation('proxyConnection');
  const [text, setText] = useState('');
  const network = text.trim();

  async function add() {
    if (network !== '' && (await onAdd(network)) !== undefined) setText('');
  }

  return (
    <form
      className={classes['line']}
      onSubmit={(event) => {
        event.preventDefault();
        void add();
      }}
    >
      <TextInput
        label={t('controls.allowList.field')}
        description={t('controls.allowList.hint')}
        autoComplete="off"
        maxLength={50}
        value={text}
        error={isFieldRefusal(saving.error) && refusalText(saving.error, t('controls.allowList.invalid'))}
        onChange={({ currentTarget }) => {
          saving.reset();
          setText(currentTarget.value);
        }}
      />
      <Button type="submit" variant="default" disabled={network === ''} loading={saving.isRunning}>
        {t('controls.allowList.add')}
      </Button>
    </form>
  );
}

function refusalText(error: ApiError, invalid: string): string {
  return error.code === 'VALIDATION' ? invalid : errorText(error);
}

/** Single addresses are shown without their prefix. */
function shownNetwork(network: string): string {
  return network.replace(network.includes(':') ? /\/128$/ : /\/32$/, '');
}

/** Requests of the dialog's forms, which are loaded on demand. */
function useConnectionAccess(id: string) {
  const dependencies = { topics: ['connections'], throttleMs: SUMS_THROTTLE_MS } as const;
  return useApiQuery(apiQuery('GET /v1/proxies/connections/{id}/access', { params: { id } }, dependencies));
}

/** Refusals of these codes are shown at the field. */
const fieldCodes = new Set(['VALIDATION', 'CAP_USED_UP', 'ADDRESS_NOT_USED']);

function isFieldRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && fieldCodes.has(error.code);
}

function useControl(successText: () => string) {
  return useAction({
    call: ({ id, ...body }: ConnectionChange & { id: string }) =>
      callForData('PATCH /v1/proxies/connections/{id}', { params: { id }, body }),
    onSuccess: replaceRow,
    successText,
    onError: (error) => (isFieldRefusal(error) ? 'HANDLED' : undefined),
    changes: ['connections'],
  });
}

function useNewPassword() {
  const { t } = useTranslation('proxyConnection');
  return useAction({
    call: (id: string, withKey) =>
      callForData('POST /v1/proxies/connections/{id}/credentials', { params: { id } }, withKey()),
    onSuccess: replaceRow,
    successText: () => t('controls.password.done'),
    changes: ['connections'],
  });
}
