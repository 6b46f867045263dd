import type { Refund } from '@relay-hub/contract';
import { useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { formatMinor } from '#domain/payment/minor-money.ts';
import { Segmented } from '#ui/form/segmented.tsx';
import { RemarkDialog } from './remark-dialog.tsx';

interface Props {
  refund: Refund;
  gateway: string;
  onSettle: (body: { outcome: 'success' | 'refused'; remark: string }) => Promise<unknown>;
  onClose: () => void;
}

/** Ends a refund by hand after its result was looked up at the gateway. */
export function SettleDialog({ refund, gateway, onSettle, onClose }: Props) {
  const { t } = useTranslation('paymentOrder');
  const [outcome, setOutcome] = useState<'success' | 'refused'>('success');
  const amount = formatMinor(refund.minor, refund.currency);
  return (
    <RemarkDialog
      title={t('settleTitle', { amount })}
      text={t('settleText', { gateway })}
      action={t(outcome === 'success' ? 'settleDone' : 'settleRefused')}
      danger
      onConfirm={(remark) => onSettle({ outcome, remark })}
      onClose={onClose}
    >
      <div>
        <Segmented
          label={t('outcome')}
          value={outcome}
          options={[
            { value: 'success', label: t('wasRefunded') },
            { value: 'refused', label: t('wasNotRefunded') },
          ]}
          onChange={setOutcome}
        />
        <p className="mt-2 text-13 text-text2">
          {t(outcome === 'success' ? 'settleDoneText' : 'settleRefusedText', { amount })}
        </p>
      </div>
    </RemarkDialog>
  );
}
