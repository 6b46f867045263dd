import type { Redemption } from '@relay-hub/contract';
import { CircleCheck } from 'lucide-react';
import { useRef, type ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { Dialog } from '#ui/overlay/dialog.tsx';
import { Money } from '#ui/format/money.tsx';
import { Time } from '#ui/format/time.tsx';
import { RedemptionCode } from './redemption-cells.tsx';

interface Props {
  row: Redemption;
  onClose: () => void;
}

export function RedemptionDetail({ row, onClose }: Props) {
  const { t } = useTranslation('redemption');
  const done = useRef<HTMLButtonElement>(null);
  const facts: [name: string, value: ReactNode][] = [
    [t('redeemedBy'), row.redeemed_username],
    [t('redeemedAt'), <Time key="redeemed" at={row.redeemed_time} />],
    [t('code'), <RedemptionCode key="code" row={row} />],
    [t('createdBy'), row.username],
    [t('createdTime'), <Time key="created" at={row.created_time} />],
    [t('expires'), <Time key="expires" at={row.expired_time} none={t('neverExpires')} />],
  ];
  return (
    <Dialog
      title={t('closedTitle')}
      text={`${row.name} #${row.id}`}
      icon={CircleCheck}
      width={400}
      onClose={onClose}
      initialFocus={done}
      footer={(close) => (
        <Button ref={done} onClick={close}>
          {t('done')}
        </Button>
      )}
    >
      <Money credits={row.quota} className="block pb-4 text-26 font-medium" />
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 items-center gap-y-2.5 border-t border-line pt-4 text-13 max-sm:text-14">
        {facts.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-text2">{name}</dt>
            <dd className="min-w-0 break-words tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
