import { ApiError } from '@cellhop/contract/client';
import type { Connection } from '@cellhop/contract/connections';
import type { Proxy } from '@cellhop/contract/proxies';
import { Alert, Button, Stack, Text } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { invalidate } from '../../data/query.ts';
import { formatAge, formatMoney, prepaidPrice, megabytePrice } from '../../format/format.ts';
import { formatMegabytePrice, formatPrice } from '../../format/money.ts';
import { chargeWords, parseCap, TrafficCapField } from '../../ui/traffic-cap-field.tsx';
import { useShopTimes } from '../../hooks/use-shop-times.ts';
import { useLastDefined } from '../../hooks/use-last-value.ts';
import { useTenSeconds } from '../../hooks/use-ten-seconds.ts';
import { useProfile } from '../../session/profile.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Disclosure } from '../../ui/disclosure.tsx';
import { useProxyDetails } from '../../ui/proxy-details.tsx';
import { Money } from '../../ui/money.tsx';
import { useConnect } from './api.ts';
import classes from './proxy-dialog.module.css';

export interface ProxyDialogProps {
  proxy: Proxy | undefined;
  /** Renders the credentials after the purchase. */
  renderAccess: (connection: Connection) => ReactNode;
  onBought: (proxy: Proxy) => void;
  onClose: () => void;
  /** The proxy was sold to someone else: the list is out of date. */
  onGone: () => void;
  /** The price has changed: fetches the proxy again, and the dialog shows its new price. */
  onPriceChanged: () => void;
}

/** Stays mounted while it closes, so that the focus returns to the button that opened it. */
export function ProxyDialog({ proxy: shown, onClose, ...steps }: ProxyDialogProps) {
  const { t } = useTranslation('proxy');
  const proxy = useLastDefined(shown);
  const [hasBought, setBought] = useState(false);

  function close() {
    onClose();
    if (hasBought) void invalidate(['catalogue']);
    setBought(false);
  }

  return (
    <Dialog isOpen={shown !== undefined} title={t('detail.title', { ip: proxy?.ip ?? '' })} size="lg" onClose={close}>
      {proxy !== undefined && (
        <Purchase
          key={proxy.id}
          {...steps}
          proxy={proxy}
          onBought={(bought) => {
            setBought(true);
            steps.onBought(bought);
          }}
        />
      )}
    </Dialog>
  );
}

type PurchaseProps = Omit<ProxyDialogProps, 'proxy' | 'onClose'> & { proxy: Proxy };

/** The offer, then the credentials. */
function Purchase({ proxy, renderAccess, onBought, onGone, onPriceChanged }: PurchaseProps) {
  const { t } = useTranslation('proxy');
  const purchase = useConnect(onGone, onPriceChanged);
  const firstPrice = useFirst(proxy.price);
  const [capText, setCapText] = useState('');
  const cap = parseCap(capText);
  const connection = purchase.result;
  if (connection !== undefined)
    return (
      <Stack gap="lg">
        <Bought />
        {renderAccess(connection)}
        <Disclosure title={t('detail.about')}>
          <ProxyFacts proxy={proxy} />
        </Disclosure>
        <div className={classes['foot']}>
          <Button component={Link} to="/connection-history" variant="default" size="md" fullWidth>
            {t('detail.toHistory')}
          </Button>
        </div>
      </Stack>
    );
  return (
    <Stack gap="lg">
      {proxy.price !== firstPrice && (
        <Alert role="alert" variant="light">
          {t('detail.newPrice', {
            before: formatMoney(prepaidPrice(firstPrice)),
            now: formatMoney(prepaidPrice(proxy.price)),
          })}
        </Alert>
      )}
      <ProxyFacts proxy={proxy} />
      <PriceInfo />
      <TrafficCapField text={capText} onChange={setCapText} />
      <div className={classes['foot']}>
        <Button
          size="md"
          fullWidth
          disabled={cap === undefined}
          loading={purchase.isRunning}
          onClick={() => {
            if (cap !== undefined) void purchase.run({ ...proxy, cap }, { onSuccess: () => onBought(proxy) });
          }}
        >
          {t('detail.buyFor', { amount: formatMoney(prepaidPrice(proxy.price)) })}
        </Button>
        <MaximumCharge price={proxy.price} cap={cap ?? null} />
        {isSmallBalance(purchase.error) && (
          <Button
            variant="default"
            size="md"
            fullWidth
            renderRoot={(given) => <Link {...given} to="/payments/invoices" search={{ create: true }} />}
          >
            {t('detail.topUp')}
          </Button>
        )}
      </div>
    </Stack>
  );
}

/** Shown only to users who can buy: with less money the purchase is refused. */
function MaximumCharge({ price, cap }: { price: number; cap: number | null }) {
  const { t } = useTranslation('proxyConnection');
  const { balance = 0 } = useProfile() ?? {};
  if (balance < prepaidPrice(price)) return undefined;
  return (
    <Text size="xs" c="dimmed" ta="center">
      {chargeWords({ price, cap, balance }, t)}
    </Text>
  );
}

/** The value at the first render. */
function useFirst<T>(value: T): T {
  const [first] = useState(value);
  return first;
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

const rules = ['prepaid', 'further', 'idle', 'refund'] as const;

function PriceInfo() {
  const { t } = useTranslation('proxy');
  const times = useShopTimes();
  return (
    <section className={classes['info']}>
      <h3>{t('detail.info.title')}</h3>
      <ul>
        {rules.map((rule) => (
          <li key={rule}>{t(`detail.info.${rule}`, times)}</li>
        ))}
      </ul>
    </section>
  );
}

function ProxyFacts({ proxy }: { proxy: Proxy }) {
  const { t } = useTranslation(['proxy', 'common']);
  const now = useTenSeconds();
  const { checkedAt, latencyMs, rotates } = proxy;
  return (
    <Facts
      items={[
        { label: t('common:location.ip'), value: proxy.ip },
        { label: t('detail.price'), value: <Money dollars={prepaidPrice(proxy.price)} format={formatPrice} /> },
        {
          label: t('detail.megabytePrice'),
          value: <Money dollars={megabytePrice(proxy.price)} format={formatMegabytePrice} />,
        },
        ...useProxyDetails(proxy),
        ...(rotates === true ? [{ label: t('detail.rotation'), value: t('detail.rotates') }] : []),
        ...(checkedAt === null ? [] : [{ label: t('detail.checked'), value: formatAge(checkedAt, now) }]),
        ...(latencyMs === null
          ? []
          : [{ label: t('detail.latency'), value: t('detail.milliseconds', { latency: latencyMs }) }]),
      ]}
    />
  );
}
