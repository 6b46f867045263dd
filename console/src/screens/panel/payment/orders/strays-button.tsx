import { useQuery } from '@tanstack/react-query';
import { MailWarning } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { strayCount } from '#screens/panel/payment/payment-api.ts';

const StraysDialog = lazy(async () => ({
  default: (await import('#screens/panel/payment/order/strays-dialog.tsx')).StraysDialog,
}));

/** Opens the notifications that belong to no order; absent without any. */
export function StraysButton() {
  const { t } = useTranslation('payment');
  const [open, setOpen] = useState(false);
  const { data } = useQuery(strayCount);
  const count = data?.total_count ?? 0;
  if (count === 0 && !open) return null;
  return (
    <>
      <Button size="sm" variant="ghost" icon={MailWarning} onClick={() => setOpen(true)}>
        {t('strays', { count })}
      </Button>
      <Suspense>{open && <StraysDialog onClose={() => setOpen(false)} />}</Suspense>
    </>
  );
}
