import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ToastHost } from './toast-host.tsx';

/** A labelled region with the toasts in it. */
export function ToastPlace() {
  const { t } = useTranslation('shared');
  const [place, setPlace] = useState<HTMLElement | null>(null);
  return (
    <section ref={setPlace} aria-label={t('messages')}>
      {place && <ToastHost place={place} />}
    </section>
  );
}
