import type { ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { Sheet } from '#ui/overlay/sheet.tsx';

/** Settings and code on narrow screens, from below. */
export function PanelSheet({ onClose, children }: { onClose: () => void; children: ReactNode }) {
  const { t } = useTranslation('playground');
  return (
    <Sheet
      title={t('settings')}
      onClose={onClose}
      footer={(close) => (
        <Button className="flex-1" onClick={close}>
          {t('close')}
        </Button>
      )}
    >
      <div className="-mx-4 [--surface:var(--color-float)]">{children}</div>
    </Sheet>
  );
}
