import { useTranslation } from '#i18n/use-translation.ts';
import { useServerAddress } from '#api/site.ts';
import { CopyButton } from '#ui/basic/copy-button.tsx';

/** The callback address to register with the provider. */
export function CallbackNote({ path }: { path: string }) {
  const { t } = useTranslation('setting');
  const whole = useServerAddress() + path;
  return (
    <div className="flex flex-wrap items-center gap-x-2 border-b border-line bg-sunk px-5 py-2 text-13 text-text2 first:rounded-t-card max-sm:px-4">
      <span>{t('callbackText')}</span>
      <code className="min-w-0 font-mono text-12 break-all text-text">{whole}</code>
      <CopyButton text={whole} name={t('callback')} />
    </div>
  );
}
