import { ApiError } from '@cellhop/contract/client';
import type { Connection } from '@cellhop/contract/connections';
import type { Proxy } from '@cellhop/contract/proxies';
import { Button, Stack } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { showErrorToast } from '../../lib/error-text.ts';
import { formatMoney, prepaidPrice } from '../../lib/format.ts';
import { uniqueKey } from '../../lib/unique-key.ts';
import { useOneAtATime } from '../../lib/use-one-at-a-time.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { reloadCatalogue, useConnect } from './api.ts';
import { PriceInfo } from './price-info.tsx';
import classes from './proxy-dialog.module.css';
import { ProxyFacts } from './proxy-facts.tsx';

export interface ProxyDialogProps {
  proxy: Proxy | undefined;
  /** How to reach a proxy that was just bought. */
  renderAccess: (connection: Connection) => ReactNode;
  onBought: (proxy: Proxy) => void;
  onClose: () => void;
  /** Sold to someone else, or its price changed: the list is out of date. */
  onGone: () => void;
}

export function ProxyDialog({ proxy, renderAccess, onBought, onClose, onGone }: ProxyDialogProps) {
  const { t } = useTranslation(['proxy', 'common']);
  const [idempotencyKey] = useState(uniqueKey);
  const purchase = useConnect();
  const connection = purchase.data;

  const buy = useOneAtATime(async (chosen: Proxy) => {
    // Not called once the dialog is closed.
    const onSuccess = () => onBought(chosen);
    await purchase.mutateAsync({ proxy: chosen, idempotencyKey }, { onSuccess }).catch((error: unknown) => {
      showErrorToast(error);
      if (isOutOfDate(error)) onGone();
    });
  });

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
              <Button size="md" loading={purchase.isPending} onClick={() => void buy(proxy)}>
                {t('detail.buyFor', { amount: formatMoney(prepaidPrice(proxy.price)) })}
              </Button>
              {isSmallBalance(purchase.error) && (
                <Button
                  variant="default"
                  size="md"
                  renderRoot={(given) => <Link {...given} to="/payments/invoices" search={{ create: true }} />}
                >
                  {t('detail.topUp')}
                </Button>
              )}
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

/** Takes the focus, which was on the button that is gone. */
function Bought() {
  const { t } = useTranslation('proxy');
  const message = useRef<HTMLOutputElement>(null);
  useEffect(() => message.current?.focus(), []);
  return (
    <output ref={message} className={classes['bought']} tabIndex={-1}>
      <IconCircleCheck size={22} stroke={1.6} aria-hidden="true" />
      {t('detail.bought')}
    </output>
  );
}

function isSmallBalance(error: Error | null): boolean {
  return error instanceof ApiError && error.code === 'SMALL_BALANCE';
}

function isOutOfDate(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 'PROXY_NOT_FOUND' || error.code === 'PRICE_CHANGED');
}
