import type { PaymentGateway } from '@relay-hub/contract';
import { GripVertical, TriangleAlert } from 'lucide-react';
import type { ComponentPropsWithoutRef } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { GatewayTile } from '#domain/payment/gateway-tile.tsx';
import { cx } from '#ui/basic/cx.ts';
import { Icon } from '#ui/basic/icon.tsx';
import { Switch } from '#ui/form/switch.tsx';
import { formatDollars } from '#ui/format/money.ts';
import { formatPercent } from '#ui/format/number.ts';
import { TextWithElements } from '#ui/format/text-with-elements.tsx';
import { Time } from '#ui/format/time.tsx';
import { Tooltip } from '#ui/overlay/tooltip.tsx';
import { useGatewayActions } from './use-gateway-actions.ts';

interface Props {
  gateway: PaymentGateway;
}

export function GatewayHandle({ gateway: { name }, ...handlers }: Props & ComponentPropsWithoutRef<'button'>) {
  const { t } = useTranslation('payment');
  return (
    <Tooltip text={t('dragHint')}>
      <button
        type="button"
        {...handlers}
        aria-label={t('dragNamed', { name })}
        aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown"
        className="-ml-1.5 grid h-7 w-5 flex-none cursor-grab touch-none place-items-center rounded-tile text-text3 hover:bg-hover hover:text-text active:cursor-grabbing"
      >
        <Icon of={GripVertical} size={14} />
      </button>
    </Tooltip>
  );
}

export function GatewayName({ gateway: { name, type, icon, uuid } }: Props) {
  return (
    <span className="flex min-w-0 items-center gap-2.5">
      <GatewayTile name={name} type={type} icon={icon} />
      <span className="grid min-w-0 leading-4.5">
        <span className="truncate">{name}</span>
        <Tooltip text={uuid} repeatsName>
          <span className="w-fit font-mono text-12/4 text-text2">
            {uuid.slice(0, 4)}…{uuid.slice(-4)}
          </span>
        </Tooltip>
      </span>
    </span>
  );
}

export function GatewayFee({ gateway: { fixed_fee: fixed, percent_fee: percent } }: Props) {
  const { t } = useTranslation('payment');
  if (percent > 0) return formatPercent(percent);
  if (fixed > 0) return t('perOrder', { amount: formatDollars(fixed) });
  return <span className="text-text2">{t('noFee')}</span>;
}

export function GatewayNotice({ gateway: { last_notice_at: at, last_refused_at: refused } }: Props) {
  const { t } = useTranslation('payment');
  return (
    <>
      <Time at={at} as="relative" none={t('noNotice')} className={cx('block leading-4.5', at === 0 && 'text-text2')} />
      {refused > at && (
        <span className="flex items-center gap-1 text-12/4 text-warn">
          <Icon of={TriangleAlert} size={12} />
          <TextWithElements text={t('refusedNotice')} parts={{ age: <Time at={refused} as="relative" /> }} />
        </span>
      )}
    </>
  );
}

/** Shares below these are amber and red. */
const [good, poor] = [0.7, 0.4];

export function GatewaySuccess({ gateway: { started_orders: started, paid_orders: paid } }: Props) {
  const { t } = useTranslation('payment');
  if (started === 0) return <span className="text-text2">{t('noOrders')}</span>;
  const share = paid / started;
  return (
    <>
      <span className={cx('block leading-4.5', share < poor ? 'text-bad' : share < good && 'text-warn')}>
        {formatPercent(share, 1)}
      </span>
      <span className="block text-12/4 text-text2">{t('orders', { count: started })}</span>
    </>
  );
}

export function GatewaySwitch({ gateway }: Props) {
  const { t } = useTranslation('payment');
  const { enable } = useGatewayActions();
  const on = enable.isPending ? enable.variables.on : gateway.enable;
  return (
    <Switch
      label={t('enableNamed', { name: gateway.name })}
      saves
      checked={on}
      onChange={(next) => enable.mutate({ gateway, on: next })}
    />
  );
}
