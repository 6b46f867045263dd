import { HardDrive } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useSelf } from '#api/self.ts';
import { Icon } from '#ui/basic/icon.tsx';

/** Tells administrators that the server refuses all calls because it cannot record them. */
export function StorageBanner() {
  const { t } = useTranslation();
  const state = useSelf().data?.storage ?? 'ok';
  if (state === 'ok') return null;
  return (
    <div
      role="alert"
      className="flex min-h-11 flex-none flex-wrap items-center gap-x-2.5 gap-y-1 border-b border-line bg-bad-soft px-6 py-1.5 text-13 text-bad max-sm:px-4"
    >
      <Icon of={HardDrive} />
      <span className="font-title">{t(`storage.${state}`)}</span>
      <span className="min-w-0 break-words">{t(`storage.${state}Text`)}</span>
    </div>
  );
}
