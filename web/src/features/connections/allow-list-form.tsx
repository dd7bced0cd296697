import type { ApiError } from '@cellhop/contract/client';
import { ALLOW_LIST_MAX } from '@cellhop/contract/limits';
import { Button, Center, Loader, TextInput } from '@mantine/core';
import { IconPlus, IconX, type TablerIcon } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../data/error-text.ts';
import { formatDate } from '../../format/format.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { LoadFailure } from '../../ui/list-state.tsx';
import classes from './connection-controls.module.css';
import { isFieldRefusal, useConnectionAccess, useControl } from './controls-api.ts';

/** Each change is saved at once. */
export function AllowListForm({ connectionId: id }: { connectionId: string }) {
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
  const { allowList, recentAddresses } = response.data;
  const isFull = allowList.length >= ALLOW_LIST_MAX;
  const save = (networks: string[]) => saving.run({ id, allowList: networks });
  const listed = allowList.map((network) => ({
    text: shownNetwork(network),
    action: t('controls.allowList.remove', { network: shownNetwork(network) }),
    onAct: () => save(allowList.filter((each) => each !== network)),
  }));
  const offered = recentAddresses.map(({ address, usedAt }) => ({
    text: address,
    note: formatDate(usedAt),
    action: t('controls.allowList.addOf', { address }),
    onAct: () => save([...allowList, address]),
  }));
  if (isFull)
    return (
      <>
        <Networks name={t('controls.allowList.title')} lines={listed} Icon={IconX} isBusy={saving.isRunning} />
        <p>{t('controls.allowList.full', { count: ALLOW_LIST_MAX })}</p>
      </>
    );
  return (
    <>
      <Networks name={t('controls.allowList.title')} lines={listed} Icon={IconX} isBusy={saving.isRunning} />
      <AddForm saving={saving} onAdd={(network) => save([...allowList, network])} />
      {offered.length > 0 && <p>{t('controls.allowList.recent')}</p>}
      <Networks name={t('controls.allowList.recent')} lines={offered} Icon={IconPlus} isBusy={saving.isRunning} />
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
