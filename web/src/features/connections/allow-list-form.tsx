import { ALLOW_LIST_MAX } from '@cellhop/contract/limits';
import { Button, Center, Loader, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../lib/error-text.ts';
import { formatDate } from '../../lib/format.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { LoadFailure } from '../../ui/list-state.tsx';
import classes from './connection-controls.module.css';
import { isFieldRefusal, useConnectionAccess, useControl } from './controls-api.ts';

/** Each change is saved at once. */
export function AllowListForm({ connectionId: id }: { connectionId: string }) {
  const { t } = useTranslation('proxyConnection');
  const { response, failure } = useConnectionAccess(id);
  const [text, setText] = useState('');
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
  const save = (networks: readonly string[]) => saving.run({ id, allowList: [...networks] });

  async function add() {
    if (text.trim() !== '' && (await save([...allowList, text.trim()])) !== undefined) setText('');
  }

  return (
    <>
      {allowList.length > 0 && (
        <ul className={classes['networks']} aria-label={t('controls.allowList.title')}>
          {allowList.map((network) => (
            <li key={network}>
              <span>{shownNetwork(network)}</span>
              <IconButton
                aria-label={t('controls.allowList.remove', { network: shownNetwork(network) })}
                disabled={saving.isRunning}
                onClick={() => void save(allowList.filter((each) => each !== network))}
              >
                <IconX size={17} aria-hidden="true" />
              </IconButton>
            </li>
          ))}
        </ul>
      )}
      {isFull ? (
        <p>{t('controls.allowList.full', { count: ALLOW_LIST_MAX })}</p>
      ) : (
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
          <Button type="submit" variant="default" disabled={text.trim() === ''} loading={saving.isRunning}>
            {t('controls.allowList.add')}
          </Button>
        </form>
      )}
      {recentAddresses.length > 0 && !isFull && (
        <>
          <p>{t('controls.allowList.recent')}</p>
          <ul className={classes['networks']} aria-label={t('controls.allowList.recent')}>
            {recentAddresses.map(({ address, usedAt }) => (
              <li key={address}>
                <span>
                  {address} <small>{formatDate(usedAt)}</small>
                </span>
                <IconButton
                  aria-label={t('controls.allowList.addOf', { address })}
                  disabled={saving.isRunning}
                  onClick={() => void save([...allowList, address])}
                >
                  <IconPlus size={17} aria-hidden="true" />
                </IconButton>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

function refusalText(error: Parameters<typeof errorText>[0] & { code: string }, invalid: string): string {
  return error.code === 'VALIDATION' ? invalid : errorText(error);
}

/** Single addresses are shown without their prefix. */
function shownNetwork(network: string): string {
  return network.replace(network.includes(':') ? /\/128$/ : /\/32$/, '');
}
