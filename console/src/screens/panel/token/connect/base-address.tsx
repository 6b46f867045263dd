import { useTranslation } from '#i18n/use-translation.ts';
import { useServerAddress } from '#api/site.ts';
import { CopyButton } from '#ui/basic/copy-button.tsx';

/** Base URL for API clients. */
export function BaseAddress() {
  const { t } = useTranslation('token');
  const address = `${useServerAddress()}/v1`;
  return (
    <span className="flex min-w-0 items-center gap-2.5 max-sm:flex-1">
      <span className="flex-none">{t('address')}</span>
      <span className="flex h-8.5 min-w-0 items-center gap-2 rounded-control border border-line2 bg-card pr-0.5 pl-2.5 max-sm:h-10 max-sm:flex-1 max-sm:justify-between">
        <span className="truncate font-mono text-12 text-text">{address}</span>
        <CopyButton text={address} name={t('address')} />
      </span>
    </span>
  );
}
