import { Link, useCanGoBack, useLocation, useRouter } from '@tanstack/react-router';
import { ChevronLeft } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { TextWithElements } from '#ui/format/text-with-elements.tsx';
import { MessagePage } from './message-page.tsx';
import { relatedPage } from './related-pages.ts';

export function NotFoundPage() {
  const { t } = useTranslation();
  const router = useRouter();
  const canGoBack = useCanGoBack();
  const { pathname } = useLocation();
  const inPanel = pathname.startsWith('/panel');
  const related = relatedPage(pathname);
  const cause = related === undefined ? 'cause' : related === '' ? 'absent' : 'moved';
  return (
    <MessagePage
      title={t(cause === 'absent' ? 'missing.absentTitle' : 'missing.title')}
      picture={<DeadEnds />}
      actions={
        <>
          {canGoBack && (
            <Button size="lg" icon={ChevronLeft} onClick={() => router.history.back()}>
              {t('missing.back')}
            </Button>
          )}
          {related ? (
            <Button variant="primary" size="lg" render={<Link to={related} />}>
              {t('missing.open')}
            </Button>
          ) : (
            <Button variant="primary" size="lg" render={<Link to={inPanel ? '/panel' : '/'} />}>
              {t(inPanel ? 'missing.panel' : 'missing.home')}
            </Button>
          )}
        </>
      }
    >
      <TextWithElements
        text={t(`missing.${cause}`)}
        parts={{ path: <Path of={pathname} />, there: <Path of={related ?? ''} /> }}
      />
    </MessagePage>
  );
}

const Path = ({ of }: { of: string }) => (
  <code className="rounded-[calc(var(--radius-tile)-2px)] bg-fill px-1.5 py-0.5 font-mono text-14 text-text2">
    {of}
  </code>
);

/** Picture: a path that forks into three dead ends. */
function DeadEnds() {
  return (
    <svg width="210" height="108" viewBox="0 0 210 108" fill="none" aria-hidden strokeWidth="2">
      <circle cx="23" cy="54" r="22" className="fill-card stroke-control" />
      <circle cx="23" cy="54" r="6" className="fill-accent" />
      <path d="M45 54h55" className="stroke-control" />
      <circle cx="105" cy="54" r="4" className="fill-accent" />
      <g className="stroke-line2" strokeDasharray="6 5">
        <path d="M118 54c24-6 26-38 56-38M118 54h56M118 54c24 6 26 38 56 38" />
        {[16, 54, 92].map((y) => (
          <circle key={y} cx="190" cy={y} r="15" className="fill-card" />
        ))}
      </g>
      {[16, 54, 92].map((y) => (
        <path key={y} d={`M185 ${y - 5}l10 10m0-10l-10 10`} className="stroke-line2" strokeLinecap="round" />
      ))}
    </svg>
  );
}
