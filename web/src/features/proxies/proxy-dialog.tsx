import { ApiError } from '@cellhop/contract/client';
import type { Connection } from '@cellhop/contract/connections';
import type { Proxy } from '@cellhop/contract/proxies';
import { Button, Stack } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { formatMoney, prepaidPrice } from '../../lib/format.ts';
import { invalidate } from '../../lib/query.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { useConnect } from './api.ts';
import { PriceInfo } from './price-info.tsx';
import classes from './proxy-dialog.module.css';
import { ProxyFacts } from './proxy-facts.tsx';

export interface ProxyDialogProps {
  proxy: Proxy | undefined;
  /** Renders the credentials after the purchase. */
  renderAccess: (connection: Connection) => ReactNode;
  onBought: (proxy: Proxy) => void;
  onClose: () => void;
  /** The proxy was sold to someone else, or its price has changed: the list is out of date. */
  onGone: () => void;
}

export function ProxyDialog({ proxy, renderAccess, onBought, onClose, onGone }: ProxyDialogProps) {
  const { t } = useTranslation(['proxy', 'common']);
  const purchase = useConnect(onGone);
  const connection = purchase.result;

  function close() {
    onClose();
    if (connection !== undefined) void invalidate(['catalogue']);
  }

  return (
    <Dialog isOpen={proxy !== undefined} title={t('detail.title', { ip: proxy?.ip ?? '' })} size="lg" onClose={close}>
      {proxy !== undefined && (
        <Stack gap="lg">
          {connection === undefined ? (
            <>
              <ProxyFacts proxy={proxy} />
              <PriceInfo />
              <Button
                size="md"
                loading={purchase.isRunning}
                onClick={() => void purchase.run(proxy, { onSuccess: () => onBought(proxy) })}
              >
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

/** Takes the focus from the button that was removed. */
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
