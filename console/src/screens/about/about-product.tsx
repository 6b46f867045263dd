import type { ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useSession } from '#api/session.ts';
import { consoleVersion, useSite, useSiteName } from '#api/site.ts';
import { formatDateTime } from '#ui/format/time.ts';

export function AboutProduct() {
  const { t } = useTranslation('about');
  const name = useSiteName();
  const site = useSite();
  const { isRoot } = useSession();
  return (
    <div className="max-w-[68ch]">
      <p className="text-text2">{t('what', { name })}</p>
      <dl className="mt-6 rounded-card border border-line bg-card px-4 text-14">
        <Fact name={t('versionTitle')}>{site?.version || consoleVersion}</Fact>
        {site && <Fact name={t('startedTitle')}>{formatDateTime(site.start_time)}</Fact>}
        <Fact name={t('sourceTitle')}>
          <a
            href="https://github.com/MartialBE/one-hub"
            target="_blank"
            rel="noopener noreferrer"
            className="text-accent hover:underline"
          >
            github.com/MartialBE/one-hub
          </a>
        </Fact>
      </dl>
      {isRoot && <p className="mt-4 text-13 text-text3">{t('how')}</p>}
    </div>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex min-h-12 flex-wrap items-center justify-between gap-x-6 border-line py-1 not-last:border-b">
      <dt className="text-text2">{name}</dt>
      <dd className="tabular-nums">{children}</dd>
    </div>
  );
}
