import type { OrderDetail } from '@relay-hub/contract';
import { useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { RemarkDialog } from './remark-dialog.tsx';
import { useOrderActions } from './use-order-actions.ts';

/** Why the order needs attention and what to do, until an operator marks it as handled. */
export function OrderAttention({ order }: { order: OrderDetail }) {
  const { t } = useTranslation('paymentOrder');
  const [asking, setAsking] = useState(false);
  const { dismiss } = useOrderActions(order);
  const { attention } = order;
  if (attention === 'none') return null;
  return (
    <div className="mb-4">
      <Note tone="warn">
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <p className="min-w-0 flex-1 basis-60">
            <b className="font-title">{t(`attentions.${attention}`)}</b> {t(`attentionTexts.${attention}`)}
          </p>
          <Button size="sm" onClick={() => setAsking(true)}>
            {t('dismiss')}
          </Button>
        </div>
      </Note>
      {asking && (
        <RemarkDialog
          title={t('dismissTitle')}
          text={t('dismissText')}
          action={t('dismiss')}
          onConfirm={(remark) => dismiss.mutateAsync(remark)}
          onClose={() => setAsking(false)}
        />
      )}
    </div>
  );
}
