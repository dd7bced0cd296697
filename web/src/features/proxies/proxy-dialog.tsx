import { ApiError } from '@cellhop/contract/client';
import type { Connection } from '@cellhop/contract/connections';
import type { Proxy } from '@cellhop/contract/proxies';
import { Button, Stack } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { showErrorToast } from '../../lib/error-text.ts';
import { formatMoney, prepaidPrice } from '../../lib/format.ts';
import { uniqueKey } from '../../lib/unique-key.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { reloadCatalogue, useConnect } from './api.ts';
import { PriceInfo } from './price-info.tsx';
import classes from './proxy-dialog.module.css';
import { ProxyFacts } from './proxy-facts.tsx';

interface ProxyDialogProps {
  proxy: Proxy | undefined;
  renderAccess: (connection: Connection) => ReactNode;
  onClose: () => void;
  /** Sold to someone else, or its price changed: the list is out of date. */
  onGone: () => void;
}

export function ProxyDialog({ proxy, renderAccess, onClose, onGone }: ProxyDialogProps) {
  const { t } = useTranslation(['proxy', 'common']);
  const [idempotencyKey] = useState(uniqueKey);
  const purchase = useConnect();
  const connection = purchase.data;

  function buy(chosen: Proxy) {
    purchase.mutate(
      { proxy: chosen, idempotencyKey },
      {
        onError: (error) => {
          showErrorToast(error);
          if (isOutOfDate(error)) onGone();
        },
      },
    );
  }

  function close() {
    onClose();
    if (connection !== undefined) reloadCatalogue();
  }

  return (
    <Dialog isOpen={proxy !== undefined} title={t('detail.title', { ip: proxy?.ip ?? '' })} size="lg" onClose={close}>
      {proxy !== undefined && (
        <Stack gap="lg">
          {connection === undefined ? (
            <>
              <ProxyFacts proxy={proxy} />
              <PriceInfo />
              <Button size="md" loading={purchase.isPending} onClick={() => buy(proxy)}>
                {t('detail.buyFor', { amount: formatMoney(prepaidPrice(proxy.price)) })}
              </Button>
            </>
          ) : (
            <>
              <Bought />
              {renderAccess(connection)}
              <ProxyFacts proxy={proxy} />
              <Button component={Link} to="/connection-history" size="md">
                {t('detail.toHistory')}
              </Button>
            </>
          )}
        </Stack>
      )}
    </Dialog>
  );
}

function Bought() {
  const { t } = useTranslation('proxy');
  return (
    <output className={classes['bought']}>
      <IconCircleCheck size={22} stroke={1.6} aria-hidden="true" />
      {t('detail.bought')}
    </output>
  );
}

function isOutOfDate(error: Error): boolean {
  return error instanceof ApiError && (error.code === 'PROXY_NOT_FOUND' || error.code === 'PRICE_CHANGED');
}
