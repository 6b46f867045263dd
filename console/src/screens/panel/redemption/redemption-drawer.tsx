import { type Redemption, redemptionStatus } from '@relay-hub/contract';
import { CircleCheck } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import { RecordDrawer } from '#list/record-drawer.tsx';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { Dialog } from '#ui/overlay/dialog.tsx';
import { Money } from '#ui/format/money.tsx';
import { Time } from '#ui/format/time.tsx';
import type { CreatedCodes } from './created-dialog.tsx';
import { redemptionById } from './redemption-api.ts';
import { RedemptionForm } from './redemption-form.tsx';
import { RedemptionCode } from './redemption-cells.tsx';

interface Props {
  edit: string;
  onCreated: (created: CreatedCodes) => void;
  onClose: () => void;
}

/** The form that the address names; a redeemed code can only be viewed. */
export function RedemptionDrawer({ edit, onCreated, onClose }: Props) {
  return (
    <RecordDrawer
      edit={edit}
      query={redemptionById}
      create={<RedemptionForm onCreated={onCreated} onClose={onClose} />}
      onClose={onClose}
    >
      {(row) =>
        row.status === redemptionStatus.used ? (
          <RedemptionDetail row={row} onClose={onClose} />
        ) : (
          <RedemptionForm row={row} onClose={onClose} />
        )
      }
    </RecordDrawer>
  );
}

interface RedemptionDetailProps {
  row: Redemption;
  onClose: () => void;
}

function RedemptionDetail({ row, onClose }: RedemptionDetailProps) {
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
