import { useQuery } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense } from 'react';
import { siteQuery, useSite, useSiteName } from '#api/site.ts';
import { useTranslation } from '#i18n/use-translation.ts';
import { TextWithElements } from '#ui/format/text-with-elements.tsx';
import { AnnouncementBanner } from '../notice/announcement-banner.tsx';
import { contentId, SkipLink } from '../skip-link.tsx';
import { PublicTop } from './public-top.tsx';
import { ProductVersion } from '../product-version.tsx';

const OperatorHtml = lazy(async () => ({ default: (await import('#content/operator-html.tsx')).OperatorHtml }));

const link = 'text-text2 underline decoration-line2 underline-offset-3 hover:text-text';

/** Name, version, credits and licence, or the operator's own footer. */
function Footer() {
  const { t } = useTranslation();
  const own = useSite()?.footer_html.trim();
  return (
    <footer className="border-t border-line text-13 text-text3">
      <div className="mx-auto flex min-h-16 max-w-300 flex-wrap items-center gap-x-1.5 gap-y-1 px-6 py-3 max-sm:px-4">
        {own ? (
          <Suspense>
            <OperatorHtml html={own} title={t('footer.custom')} />
          </Suspense>
        ) : (
          <Credits />
        )}
      </div>
    </footer>
  );
}

function Credits() {
  const { t } = useTranslation();
  const name = useSiteName();
  const author = <External href="https://github.com/MartialBE/one-hub">MartialBE</External>;
  const origin = <External href="https://github.com/songquanpeng/one-api">JustSong</External>;
  const licence = <External href="https://opensource.org/license/mit">{t('footer.licenceName')}</External>;
  return (
    <>
      <span className="flex-[1_1_260px]">
        {name} <ProductVersion /> · <TextWithElements text={t('footer.credits')} parts={{ author, origin }} />
      </span>
      <span>
        <TextWithElements text={t('footer.licence')} parts={{ licence }} />
      </span>
    </>
  );
}

function External({ href, children }: { href: string; children: string }) {
  return (
    <a href={href} target="_blank" rel="noopener noreferrer" className={link}>
      {children}
    </a>
  );
}

const CannotConnect = lazy(async () => ({ default: (await import('../connection/cannot-connect.tsx')).CannotConnect }));

/** The public site: top bar, content, footer. */
export function PublicLayout() {
  const { data, isError } = useQuery(siteQuery);
  const nothing = isError && data === undefined;
  return (
    <PublicFrame>
      {nothing ? (
        <Suspense>
          <CannotConnect />
        </Suspense>
      ) : (
        <Outlet />
      )}
    </PublicFrame>
  );
}

export function PublicFrame({ children }: { children: ReactNode }) {
  return (
    <div className="flex min-h-dvh flex-col">
      <SkipLink />
      {/* A page that fills the window leaves room for banners above it; the footer follows below. */}
      <div className="contents has-data-fills:flex has-data-fills:h-dvh has-data-fills:flex-col">
        <PublicTop />
        <AnnouncementBanner centred />
        <main
          id={contentId}
          tabIndex={-1}
          className="mx-auto flex w-full max-w-300 flex-1 flex-col px-6 text-16 outline-none has-data-fills:min-h-0 max-sm:px-4"
        >
          {children}
        </main>
      </div>
      <Footer />
    </div>
  );
}
